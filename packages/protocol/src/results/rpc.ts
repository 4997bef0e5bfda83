import Type, { type TSchema } from 'typebox';
import { ENUMERATIONS } from '../enumerations.ts';
import {
  always,
  answer,
  answerOf,
  each,
  flag,
  integer,
  list,
  nullable,
  object,
  optional,
  seconds,
  shown,
  string,
  u64,
  union,
  word,
} from './fields.ts';

const slot = u64('The slot', 389_012_345);
const blockTime = nullable(seconds('When the block was made', 1_767_000_000));
const error = union([Type.Null(), Type.String(), object({})], 'Null, or why it failed.');

/** A value with the slot it was read at. */
const withContext = (value: TSchema) =>
  object({
    context: object({ slot, apiVersion: optional(string('Version of the node.')) }, 'Where it was read.'),
    value,
  });

/** Data of an account in one of its encodings. */
const data = union(
  [
    Type.String(),
    list(Type.String(), 'The data and its encoding.', ['', 'base64']),
    object({
      program: string('The program that the data was parsed for.'),
      parsed: object({}, 'The parsed data.'),
      space: u64('Size in bytes'),
    }),
  ],
  'The data, in the encoding asked for.',
);

/** An account, with examples of its owner, balance and size. */
const accountOf = (program: string, lamports: number, bytes: number) =>
  object(
    {
      data,
      executable: flag('Whether it is a program.', false),
      lamports: u64('Its balance', lamports),
      owner: string('The program that owns it.', program),
      rentEpoch: u64('The epoch in which it pays rent next', 0),
      space: optional(u64('Size of the data in bytes', bytes)),
    },
    'The account.',
  );
const keyedAccounts = list(
  object({
    pubkey: string('Its address.', '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'),
    account: accountOf('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 2_039_280, 165),
  }),
  'Accounts.',
);

const transactionFields = {
  slot,
  blockTime,
  transaction: union(
    [
      list(Type.String(), 'The bytes and their encoding.', ['AQ==', 'base64']),
      object({
        signatures: list(Type.String(), 'Signatures, the first one being its id.'),
        message: object(
          {
            accountKeys: list(Type.Union([Type.String(), object({})]), 'The accounts that it names.'),
            instructions: list(object({}), 'What it does.'),
            recentBlockhash: string('The block that it was made after.'),
          },
          'What was signed.',
        ),
      }),
    ],
    'The transaction, in the encoding asked for.',
  ),
  meta: nullable(
    object(
      {
        err: error,
        fee: u64('The fee in lamports', 5000),
        preBalances: list(u64('Lamports', 1_250_000_000), 'Balances before, in the order of the accounts.'),
        postBalances: list(u64('Lamports', 1_249_995_000), 'Balances after.'),
        ...each(
          {
            preTokenBalances: nullable(list(object({}), 'Token balances before.')),
            postTokenBalances: nullable(list(object({}), 'Token balances after.')),
            innerInstructions: nullable(list(object({}), 'What its instructions called.')),
            logMessages: nullable(list(Type.String(), 'The log.')),
            rewards: nullable(list(object({}), 'Rewards.')),
            computeUnitsConsumed: u64('Compute units'),
          },
          optional,
        ),
      },
      'Its outcome.',
    ),
  ),
};
const version = optional(shown(Type.Union([always('legacy'), integer('The version.')]), 0));

const signatureFields = {
  signature: string('The transaction.', '2'.repeat(88)),
  slot,
  err: error,
  memo: nullable(string('Its memo.')),
  blockTime,
  confirmationStatus: nullable(word(ENUMERATIONS.commitment, 'How settled it is.', 'finalized')),
};

/** Lamports, at a slot. */
export const getBalance = answerOf(withContext(u64('Lamports', 1_250_000_000)));

/** An account, or null where there is none. */
export const getAccountInfo = answerOf(
  withContext(nullable(accountOf('11111111111111111111111111111111', 1_250_000_000, 0))),
);

/** A transaction, or null when the node does not have it. */
export const getTransaction = answerOf(nullable(object({ ...transactionFields, version })));

/** The latest transactions of an address. */
export const getSignaturesForAddress = answerOf(list(object(signatureFields), 'Transactions, the newest first.'));

/** Token accounts, at a slot. */
export const getTokenAccountsByOwner = answerOf(withContext(keyedAccounts));

/** Accounts, at a slot where withContext asks for it. */
export const getProgramAccounts = answerOf(Type.Union([keyedAccounts, withContext(keyedAccounts)]));

const transactionIndex = integer('Its place in the block.', 12);

/** A page of an address's transactions: signatures, or whole ones where transactionDetails is full. */
export const getTransactionsForAddress = answer({
  data: list(
    Type.Union([object({ ...signatureFields, transactionIndex }), object({ ...transactionFields, transactionIndex })]),
    'Signatures, or whole transactions where transactionDetails is full.',
  ),
  paginationToken: nullable(string('The cursor of the next page.')),
});
