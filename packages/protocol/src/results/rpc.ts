import Type, { type TSchema } from 'typebox';
import { ENUMERATIONS } from '../enumerations.ts';
import * as field from './fields.ts';

const slot = field.u64('The slot', 389_012_345);
const blockTime = field.nullable(field.seconds('When the block was made', 1_767_000_000));
const error = field.union('Null, or why it failed.', [Type.Null(), Type.String(), field.object({})]);

/** A value, and the slot at which it was read. */
const withContext = (value: TSchema) =>
  field.object({
    context: field.part('Where it was read.', {
      slot,
      apiVersion: field.optional(field.string('Version of the node.')),
    }),
    value,
  });

/** Account data in one of its encodings. */
const data = field.union('The data, in the encoding asked for.', [
  Type.String(),
  field.list(Type.String(), 'The data and its encoding.', ['', 'base64']),
  field.object({
    program: field.string('The program that the data was parsed for.'),
    parsed: field.part('The parsed data.', {}),
    space: field.u64('Size in bytes'),
  }),
]);

/** An account. The arguments are examples of its owner, balance and size. */
const accountOf = (program: string, lamports: number, bytes: number) =>
  field.part('The account.', {
    data,
    executable: field.flag('Whether it is a program.', false),
    lamports: field.u64('Its balance', lamports),
    owner: field.string('The program that owns it.', program),
    rentEpoch: field.u64('The epoch in which it pays rent next', 0),
    space: field.optional(field.u64('Size of the data in bytes', bytes)),
  });
const keyedAccounts = field.rows('Accounts.', {
  pubkey: field.string('Its address.', '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'),
  account: accountOf('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 2_039_280, 165),
});

const transactionFields = {
  slot,
  blockTime,
  transaction: field.union('The transaction, in the encoding asked for.', [
    field.list(Type.String(), 'The bytes and their encoding.', ['AQ==', 'base64']),
    field.object({
      signatures: field.list(Type.String(), 'Signatures, the first one being its id.'),
      message: field.part('What was signed.', {
        accountKeys: field.list(Type.Union([Type.String(), field.object({})]), 'The accounts that it names.'),
        instructions: field.rows('What it does.', {}),
        recentBlockhash: field.string('The block that it was made after.'),
      }),
    }),
  ]),
  meta: field.nullable(
    field.part('Its outcome.', {
      err: error,
      fee: field.u64('The fee in lamports', 5000),
      preBalances: field.list(field.u64('Lamports', 1_250_000_000), 'Balances before, in the order of the accounts.'),
      postBalances: field.list(field.u64('Lamports', 1_249_995_000), 'Balances after.'),
      ...field.each(field.optional, {
        preTokenBalances: field.nullable(field.rows('Token balances before.', {})),
        postTokenBalances: field.nullable(field.rows('Token balances after.', {})),
        innerInstructions: field.nullable(field.rows('What its instructions called.', {})),
        logMessages: field.nullable(field.list(Type.String(), 'The log.')),
        rewards: field.nullable(field.rows('Rewards.', {})),
        computeUnitsConsumed: field.u64('Compute units'),
      }),
    }),
  ),
};
const version = field.optional(field.shown(Type.Union([field.always('legacy'), field.integer('The version.')]), 0));

const signatureFields = {
  signature: field.string('The transaction.', '2'.repeat(88)),
  slot,
  err: error,
  memo: field.nullable(field.string('Its memo.')),
  blockTime,
  confirmationStatus: field.nullable(field.word(ENUMERATIONS.commitment, 'How settled it is.', 'finalized')),
};

/** Lamports, at a slot. */
export const getBalance = field.resultShape(withContext(field.u64('Lamports', 1_250_000_000)));

/** An account, or null if it does not exist. */
export const getAccountInfo = field.resultShape(
  withContext(field.nullable(accountOf('11111111111111111111111111111111', 1_250_000_000, 0))),
);

/** A transaction, or null if the node does not have it. */
export const getTransaction = field.resultShape(field.nullable(field.object({ ...transactionFields, version })));

/** The latest transactions of an address. */
export const getSignaturesForAddress = field.resultShape(
  field.rows('Transactions, the newest first.', signatureFields),
);

/** Token accounts, at a slot. */
export const getTokenAccountsByOwner = field.resultShape(withContext(keyedAccounts));

/** Accounts. If the client sets withContext, with their slot. */
export const getProgramAccounts = field.resultShape(Type.Union([keyedAccounts, withContext(keyedAccounts)]));

const transactionIndex = field.integer('Its place in the block.', 12);

/** A page of an address's transactions: signatures, or whole transactions if transactionDetails is full. */
export const getTransactionsForAddress = field.answer({
  data: field.list(
    Type.Union([
      field.object({ ...signatureFields, transactionIndex }),
      field.object({ ...transactionFields, transactionIndex }),
    ]),
    'Signatures, or whole transactions where transactionDetails is full.',
  ),
  paginationToken: field.nullable(field.string('The cursor of the next page.')),
});
