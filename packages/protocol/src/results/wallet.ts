import Type from 'typebox';
import * as field from './fields.ts';

const EXAMPLE_FUNDER = '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9';

const mint = field.string('The mint; So11111111111111111111111111111111111111112 is SOL.', field.WRAPPED_SOL);
const decimals = field.integer('Decimals of the mint.', 9);
const signature = field.string('The transaction.', '2'.repeat(88));
const slot = field.u64('Its slot', 389_012_345);
const timestamp = field.seconds('When it happened', 1_767_000_000);
const symbol = field.string('Symbol of the token.', 'SOL');
const hasMore = field.flag('Whether there are more.', false);
const cursorPage = field.part('The position in the list.', {
  hasMore,
  nextCursor: field.optional(field.string('The cursor of the next page.')),
});

/** A page of a wallet's balances. */
export const balances = field.answer({
  balances: field.rows('Tokens, SOL first.', {
    mint,
    symbol: field.nullable(symbol),
    name: field.nullable(field.string('Name of the token.', 'Solana')),
    balance: field.number('Tokens held.', 12.5),
    decimals,
    pricePerToken: field.nullable(field.usd('Price of one token', 151.4)),
    usdValue: field.nullable(field.usd('Their value', 1892.5)),
    logoUri: field.nullable(field.string('Picture of the token.')),
    tokenProgram: field.word(['spl-token', 'token-2022'], 'The program of the token.', 'spl-token'),
  }),
  nfts: field.optional(
    field.rows('Non-fungible tokens, with showNfts on the first page.', {
      mint,
      name: field.nullable(field.string('Its name.')),
      imageUri: field.nullable(field.string('Its picture.')),
      collectionName: field.nullable(field.string('Name of its collection.')),
      collectionAddress: field.nullable(field.string('Address of its collection.')),
      compressed: field.flag('Whether it is a leaf of a tree.'),
    }),
  ),
  totalUsdValue: field.usd('Total value of this page', 1892.5),
  pagination: field.part('The position in the list.', {
    page: field.integer('This page.', 1),
    limit: field.integer('Rows at most.', 100),
    hasMore: field.flag('Whether there is a next page.', false),
  }),
});

/** A page of a wallet's transactions. */
export const history = field.answer({
  data: field.rows('Transactions, the newest first.', {
    signature,
    timestamp: field.nullable(timestamp),
    slot,
    fee: field.number('The fee, in SOL.', 0.000005),
    feePayer: field.string('The account that paid it.', '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY'),
    error: field.nullable(field.string('Why it failed.')),
    balanceChanges: field.rows('Balance changes.', {
      mint,
      amount: field.number('Tokens gained, negative when lost.', -0.25),
      decimals,
    }),
  }),
  pagination: cursorPage,
});

const amount = field.number('Tokens moved.', 0.25);
const amountRaw = field.string('The same in the smallest unit, in decimal digits.', '250000000');

/** A page of a wallet's transfers. */
export const transfers = field.answer({
  data: field.rows('Transfers, the newest first.', {
    signature,
    timestamp,
    direction: field.word(['in', 'out'], 'Received or sent.', 'in'),
    counterparty: field.string('The other wallet.', EXAMPLE_FUNDER),
    mint,
    symbol: field.nullable(symbol),
    amount,
    amountRaw,
    decimals,
  }),
  pagination: cursorPage,
});

/** A wallet's first funder. */
export const fundedBy = field.answer({
  funder: field.string('The wallet that sent first.', EXAMPLE_FUNDER),
  funderName: field.nullable(field.string('Its name.', 'Binance 2')),
  funderType: field.nullable(field.string('Its type.', 'exchange')),
  mint,
  symbol,
  amount,
  amountRaw,
  decimals,
  signature,
  timestamp,
  date: field.string('The same in ISO 8601.', '2025-12-29T09:20:00.000Z'),
  slot,
  explorerUrl: field.string('A link to the transaction in an explorer.', 'https://explorer.example/tx'),
});

const tags = field.list(Type.String(), 'Further tags.', ['exchange', 'cex']);
const domainNames = field.optional(field.list(Type.String(), 'Names that lead to it.'));
const address = field.string('The wallet.', EXAMPLE_FUNDER);
const type = field.string('What the wallet is: exchange, program, person, unknown and others.', 'exchange');
const name = field.string('The owner.', 'Binance 2');
const category = field.string("The owner's business.", 'Centralized Exchange');

/** A wallet's known identity. */
export const identity = field.answer({ address, type, name, category, tags, domainNames });

/** Identities in the order of the requested wallets. Unknown wallets have no name. */
export const batchIdentity = field.resultShape(
  field.rows('One entry per wallet; the name of an unknown one is null or empty.', {
    address,
    type: field.nullable(type),
    name: field.nullable(name),
    category: field.nullable(category),
    tags,
    domainNames,
  }),
);
