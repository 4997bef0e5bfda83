import Type, { type TSchema } from 'typebox';
import { ENUMERATIONS } from '../enumerations.ts';
import { oneOf } from '../parameters.ts';
import type { ResultShape } from '../route.ts';
import { always, each, flag, integer, list, nullable, object, optional, seconds, string, u64 } from './fields.ts';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const EXAMPLE_SIGNATURE = '2'.repeat(88);
const EXAMPLE_SLOT = 389_012_345;
const EXAMPLE_CONTEXT = { slot: EXAMPLE_SLOT };

const slot = u64('The slot');
const blockTime = nullable(seconds('When the block was made'));
const error = Type.Union([Type.Null(), Type.String(), object({})], { description: 'Null, or why it failed.' });

/** A value with the slot it was read at. */
const withContext = (value: TSchema) =>
  object({
    context: object({ slot, apiVersion: optional(string('Version of the node.')) }, 'Where it was read.'),
    value,
  });

const account = object(
  {
    data: Type.Union(
      [
        Type.String(),
        list(Type.String(), 'The data and its encoding.'),
        object({
          program: string('The program that the data was parsed for.'),
          parsed: object({}, 'The parsed data.'),
          space: u64('Size in bytes'),
        }),
      ],
      { description: 'The data, in the encoding asked for.' },
    ),
    executable: flag('Whether it is a program.'),
    lamports: u64('Its balance'),
    owner: string('The program that owns it.'),
    rentEpoch: u64('The epoch in which it pays rent next'),
    space: optional(u64('Size of the data in bytes')),
  },
  'The account.',
);
const keyedAccounts = list(object({ pubkey: string('Its address.'), account }), 'Accounts.');

const EXAMPLE_ACCOUNT = {
  data: ['', 'base64'],
  executable: false,
  lamports: 1_250_000_000,
  owner: SYSTEM_PROGRAM,
  rentEpoch: 0,
  space: 0,
};
const EXAMPLE_KEYED_ACCOUNT = {
  pubkey: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
  account: { ...EXAMPLE_ACCOUNT, owner: TOKEN_PROGRAM, lamports: 2_039_280, space: 165 },
};

const transactionFields = {
  slot,
  blockTime,
  transaction: Type.Union(
    [
      list(Type.String(), 'The bytes and their encoding.'),
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
    { description: 'The transaction, in the encoding asked for.' },
  ),
  meta: nullable(
    object(
      {
        err: error,
        fee: u64('The fee in lamports'),
        preBalances: list(u64('Lamports'), 'Balances before, in the order of the accounts.'),
        postBalances: list(u64('Lamports'), 'Balances after.'),
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
const version = optional(Type.Union([always('legacy'), integer('The version.')]));

const EXAMPLE_TRANSACTION = {
  slot: EXAMPLE_SLOT,
  blockTime: 1_767_000_000,
  transaction: ['AQ==', 'base64'],
  meta: { err: null, fee: 5000, preBalances: [1_250_000_000], postBalances: [1_249_995_000] },
};

const signatureFields = {
  signature: string('The transaction.'),
  slot,
  err: error,
  memo: nullable(string('Its memo.')),
  blockTime,
  confirmationStatus: nullable(oneOf(ENUMERATIONS.commitment, 'How settled it is.')),
};

const EXAMPLE_SIGNATURE_ROW = {
  signature: EXAMPLE_SIGNATURE,
  slot: EXAMPLE_SLOT,
  err: null,
  memo: null,
  blockTime: 1_767_000_000,
  confirmationStatus: 'finalized',
};

const transactionIndex = integer('Its place in the block.');

/** Lamports, at a slot. */
export const getBalance: ResultShape = {
  schema: withContext(u64('Lamports')),
  example: { context: EXAMPLE_CONTEXT, value: 1_250_000_000 },
};

/** An account, or null where there is none. */
export const getAccountInfo: ResultShape = {
  schema: withContext(nullable(account)),
  example: { context: EXAMPLE_CONTEXT, value: EXAMPLE_ACCOUNT },
};

/** A transaction, or null when the node does not have it. */
export const getTransaction: ResultShape = {
  schema: nullable(object({ ...transactionFields, version })),
  example: { ...EXAMPLE_TRANSACTION, version: 0 },
};

/** The latest transactions of an address. */
export const getSignaturesForAddress: ResultShape = {
  schema: list(object(signatureFields), 'Transactions, the newest first.'),
  example: [EXAMPLE_SIGNATURE_ROW],
};

/** Token accounts, at a slot. */
export const getTokenAccountsByOwner: ResultShape = {
  schema: withContext(keyedAccounts),
  example: { context: EXAMPLE_CONTEXT, value: [EXAMPLE_KEYED_ACCOUNT] },
};

/** Accounts, at a slot where withContext asks for it. */
export const getProgramAccounts: ResultShape = {
  schema: Type.Union([keyedAccounts, withContext(keyedAccounts)]),
  example: [EXAMPLE_KEYED_ACCOUNT],
};

/** A page of an address's transactions: signatures, or whole ones where transactionDetails is full. */
export const getTransactionsForAddress: ResultShape = {
  schema: object({
    data: list(
      Type.Union([
        object({ ...signatureFields, transactionIndex }),
        object({ ...transactionFields, transactionIndex }),
      ]),
      'Signatures, or whole transactions where transactionDetails is full.',
    ),
    paginationToken: nullable(string('The cursor of the next page.')),
  }),
  example: { data: [{ ...EXAMPLE_SIGNATURE_ROW, transactionIndex: 12 }], paginationToken: null },
};
