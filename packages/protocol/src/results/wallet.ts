import Type from 'typebox';
import {
  answer,
  answerOf,
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  seconds,
  string,
  u64,
  usd,
  WRAPPED_SOL,
  word,
} from './fields.ts';

const EXAMPLE_FUNDER = '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9';

const mint = string('The mint; So11111111111111111111111111111111111111112 is SOL.', WRAPPED_SOL);
const decimals = integer('Decimals of the mint.', 9);
const signature = string('The transaction.', '2'.repeat(88));
const slot = u64('Its slot', 389_012_345);
const timestamp = seconds('When it happened', 1_767_000_000);
const symbol = string('Symbol of the token.', 'SOL');
const hasMore = flag('Whether there are more.', false);
const cursorPage = object(
  { hasMore, nextCursor: optional(string('The cursor of the next page.')) },
  'The position in the list.',
);

/** A page of a wallet's balances. */
export const balances = answer({
  balances: list(
    object({
      mint,
      symbol: nullable(symbol),
      name: nullable(string('Name of the token.', 'Solana')),
      balance: number('Tokens held.', 12.5),
      decimals,
      pricePerToken: nullable(usd('Price of one token', 151.4)),
      usdValue: nullable(usd('Their value', 1892.5)),
      logoUri: nullable(string('Picture of the token.')),
      tokenProgram: word(['spl-token', 'token-2022'], 'The program of the token.', 'spl-token'),
    }),
    'Tokens, SOL first.',
  ),
  nfts: optional(
    list(
      object({
        mint,
        name: nullable(string('Its name.')),
        imageUri: nullable(string('Its picture.')),
        collectionName: nullable(string('Name of its collection.')),
        collectionAddress: nullable(string('Address of its collection.')),
        compressed: flag('Whether it is a leaf of a tree.'),
      }),
      'Non-fungible tokens, with showNfts on the first page.',
    ),
  ),
  totalUsdValue: usd('Total value of this page', 1892.5),
  pagination: object(
    {
      page: integer('This page.', 1),
      limit: integer('Rows at most.', 100),
      hasMore: flag('Whether there is a next page.', false),
    },
    'The position in the list.',
  ),
});

/** A page of a wallet's transactions. */
export const history = answer({
  data: list(
    object({
      signature,
      timestamp: nullable(timestamp),
      slot,
      fee: number('The fee, in SOL.', 0.000005),
      feePayer: string('The account that paid it.', '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY'),
      error: nullable(string('Why it failed.')),
      balanceChanges: list(
        object({ mint, amount: number('Tokens gained, negative when lost.', -0.25), decimals }),
        'Balance changes.',
      ),
    }),
    'Transactions, the newest first.',
  ),
  pagination: cursorPage,
});

const amount = number('Tokens moved.', 0.25);
const amountRaw = string('The same in the smallest unit, in decimal digits.', '250000000');

/** A page of a wallet's transfers. */
export const transfers = answer({
  data: list(
    object({
      signature,
      timestamp,
      direction: word(['in', 'out'], 'Received or sent.', 'in'),
      counterparty: string('The other wallet.', EXAMPLE_FUNDER),
      mint,
      symbol: nullable(symbol),
      amount,
      amountRaw,
      decimals,
    }),
    'Transfers, the newest first.',
  ),
  pagination: cursorPage,
});

/** A wallet's first funder. */
export const fundedBy = answer({
  funder: string('The wallet that sent first.', EXAMPLE_FUNDER),
  funderName: nullable(string('Its name.', 'Binance 2')),
  funderType: nullable(string('Its type.', 'exchange')),
  mint,
  symbol,
  amount,
  amountRaw,
  decimals,
  signature,
  timestamp,
  date: string('The same in ISO 8601.', '2025-12-29T09:20:00.000Z'),
  slot,
  explorerUrl: string('A link to the transaction in an explorer.', 'https://explorer.example/tx'),
});

const tags = list(Type.String(), 'Further tags.', ['exchange', 'cex']);
const domainNames = optional(list(Type.String(), 'Names that lead to it.'));
const address = string('The wallet.', EXAMPLE_FUNDER);
const type = string('What the wallet is: exchange, program, person, unknown and others.', 'exchange');
const name = string('The owner.', 'Binance 2');
const category = string("The owner's business.", 'Centralized Exchange');

/** A wallet's known identity. */
export const identity = answer({ address, type, name, category, tags, domainNames });

/** Identities in the order of the requested wallets; unknown ones have no name. */
export const batchIdentity = answerOf(
  list(
    object({ address, type: nullable(type), name: nullable(name), category: nullable(category), tags, domainNames }),
    'One entry per wallet; the name of an unknown one is null or empty.',
  ),
);
