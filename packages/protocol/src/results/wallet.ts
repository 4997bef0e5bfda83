import { oneOf } from '../parameters.ts';
import type { ResultShape } from '../route.ts';
import { flag, integer, list, nullable, number, object, optional, seconds, string, u64, usd } from './fields.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const EXAMPLE_WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const EXAMPLE_FUNDER = '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9';
const EXAMPLE_SIGNATURE = '2'.repeat(88);

const mint = string('The mint; So11111111111111111111111111111111111111112 is SOL.');
const decimals = integer('Decimals of the mint.');
const signature = string('The transaction.');
const slot = u64('Its slot');
const timestamp = seconds('When it happened');
const cursorPage = object(
  {
    hasMore: flag('Whether there are more.'),
    nextCursor: optional(string('The cursor of the next page.')),
  },
  'The position in the list.',
);

/** A page of a wallet's balances. */
export const balances: ResultShape = {
  schema: object({
    balances: list(
      object({
        mint,
        symbol: nullable(string('Symbol of the token.')),
        name: nullable(string('Name of the token.')),
        balance: number('Tokens held.'),
        decimals,
        pricePerToken: nullable(usd('Price of one token')),
        usdValue: nullable(usd('Their value')),
        logoUri: nullable(string('Picture of the token.')),
        tokenProgram: oneOf(['spl-token', 'token-2022'], 'The program of the token.'),
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
    totalUsdValue: usd('Total value of this page'),
    pagination: object(
      {
        page: integer('This page.'),
        limit: integer('Rows at most.'),
        hasMore: flag('Whether there is a next page.'),
      },
      'The position in the list.',
    ),
  }),
  example: {
    balances: [
      {
        mint: WRAPPED_SOL,
        symbol: 'SOL',
        name: 'Solana',
        balance: 12.5,
        decimals: 9,
        pricePerToken: 151.4,
        usdValue: 1892.5,
        logoUri: null,
        tokenProgram: 'spl-token',
      },
    ],
    totalUsdValue: 1892.5,
    pagination: { page: 1, limit: 100, hasMore: false },
  },
};

/** A page of a wallet's transactions. */
export const history: ResultShape = {
  schema: object({
    data: list(
      object({
        signature,
        timestamp: nullable(timestamp),
        slot,
        fee: number('The fee, in SOL.'),
        feePayer: string('The account that paid it.'),
        error: nullable(string('Why it failed.')),
        balanceChanges: list(
          object({ mint, amount: number('Tokens gained, negative when lost.'), decimals }),
          'Balance changes.',
        ),
      }),
      'Transactions, the newest first.',
    ),
    pagination: cursorPage,
  }),
  example: {
    data: [
      {
        signature: EXAMPLE_SIGNATURE,
        timestamp: 1_767_000_000,
        slot: 389_012_345,
        fee: 0.000005,
        feePayer: EXAMPLE_WALLET,
        error: null,
        balanceChanges: [{ mint: WRAPPED_SOL, amount: -0.25, decimals: 9 }],
      },
    ],
    pagination: { hasMore: false },
  },
};

const amount = number('Tokens moved.');
const amountRaw = string('The same in the smallest unit, in decimal digits.');

/** A page of a wallet's transfers. */
export const transfers: ResultShape = {
  schema: object({
    data: list(
      object({
        signature,
        timestamp,
        direction: oneOf(['in', 'out'], 'Received or sent.'),
        counterparty: string('The other wallet.'),
        mint,
        symbol: nullable(string('Symbol of the token.')),
        amount,
        amountRaw,
        decimals,
      }),
      'Transfers, the newest first.',
    ),
    pagination: cursorPage,
  }),
  example: {
    data: [
      {
        signature: EXAMPLE_SIGNATURE,
        timestamp: 1_767_000_000,
        direction: 'in',
        counterparty: EXAMPLE_FUNDER,
        mint: WRAPPED_SOL,
        symbol: 'SOL',
        amount: 0.25,
        amountRaw: '250000000',
        decimals: 9,
      },
    ],
    pagination: { hasMore: false },
  },
};

/** A wallet's first funder. */
export const fundedBy: ResultShape = {
  schema: object({
    funder: string('The wallet that sent first.'),
    funderName: nullable(string('Its name.')),
    funderType: nullable(string('Its type.')),
    mint,
    symbol: string('Symbol of the token.'),
    amount,
    amountRaw,
    decimals,
    signature,
    timestamp,
    date: string('The same in ISO 8601.'),
    slot,
    explorerUrl: string('A link to the transaction in an explorer.'),
  }),
  example: {
    funder: EXAMPLE_FUNDER,
    funderName: 'Binance 2',
    funderType: 'exchange',
    mint: WRAPPED_SOL,
    symbol: 'SOL',
    amount: 0.25,
    amountRaw: '250000000',
    decimals: 9,
    signature: EXAMPLE_SIGNATURE,
    timestamp: 1_767_000_000,
    date: '2025-12-29T09:20:00.000Z',
    slot: 389_012_345,
    explorerUrl: 'https://explorer.example/tx',
  },
};
