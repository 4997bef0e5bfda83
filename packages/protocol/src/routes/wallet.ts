import Type from 'typebox';
import { integer, list, oneOf, optional, text } from '../parameters.ts';
import * as results from '../results/wallet.ts';
import type { Route } from '../route.ts';
import { everyWalletIn, walletIn } from '../rules.ts';
import { paidRow, type RowOptions } from './row.ts';

const CREDITS = 100;
const EXAMPLE_WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const ADDRESS = '[1-9A-HJ-NP-Za-km-z]{32,44}';
const NAME = '[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63})+';

const address = Type.String({ pattern: `^${ADDRESS}$`, description: 'A base58 address of 32 bytes.' });
const addressOrName = Type.String({
  pattern: `^(?:${ADDRESS}|${NAME})$`,
  maxLength: 100,
  description: 'A base58 address of 32 bytes, a .sol domain or a custom-TLD name.',
});
const flag = optional(Type.Boolean({ description: 'Exactly true or false.' }));
const limit = optional(integer(1, 100, 'How many.'));
const cursor = optional(text('The cursor of a previous answer.', 200));

/** Transaction types that filter the history. */
const TYPES = [
  'SWAP',
  'TRANSFER',
  'NFT_SALE',
  'NFT_BID',
  'NFT_LISTING',
  'NFT_MINT',
  'NFT_CANCEL_LISTING',
  'TOKEN_MINT',
  'BURN',
  'COMPRESSED_NFT_MINT',
  'COMPRESSED_NFT_TRANSFER',
  'COMPRESSED_NFT_BURN',
  'CREATE_STORE',
  'WHITELIST_CREATOR',
  'ADD_TO_WHITELIST',
  'REMOVE_FROM_WHITELIST',
  'AUCTION_MANAGER_CLAIM_BID',
  'EMPTY_PAYMENT_ACCOUNT',
  'UPDATE_PRIMARY_SALE_METADATA',
  'ADD_TOKEN_TO_VAULT',
  'ACTIVATE_VAULT',
  'INIT_VAULT',
  'INIT_BANK',
  'INIT_STAKE',
  'MERGE_STAKE',
  'SPLIT_STAKE',
  'CREATE_AUCTION_MANAGER',
  'START_AUCTION',
  'CREATE_AUCTION_MANAGER_V2',
  'UPDATE_EXTERNAL_PRICE_ACCOUNT',
  'EXECUTE_TRANSACTION',
] as const;

function row(method: string, endpoint: string, description: string, options: RowOptions): Route {
  const [verb = '', path = ''] = endpoint.split(' ');
  const tail = path.replace(/^\/([\w-]+)\/:wallet$/, '/:wallet/$1');
  const fields = {
    provider: 'helius',
    surface: 'wallet',
    cluster: 'mainnet',
    method,
    description,
    units: CREDITS,
  } as const;
  return paidRow(
    { ...fields, endpoint: `${verb} /v1/x402/helius/wallet${path}`, upstreamPath: `/v1/wallet${tail}` },
    options,
  );
}

function walletRow(method: string, endpoint: string, description: string, options: RowOptions): Route {
  return row(method, endpoint, description, {
    path: { wallet: method === 'identity' ? addressOrName : address },
    ...options,
    rules: [walletIn('path', 'wallet')],
    example: { path: { wallet: EXAMPLE_WALLET } },
  });
}

/** The paid wallet-data routes, all on mainnet. */
export const walletRoutes: readonly Route[] = [
  walletRow('identity', 'GET /identity/:wallet', 'The known identity of a wallet.', { result: results.identity }),
  row('batchIdentity', 'POST /batch-identity', 'The known identities of up to 100 wallets.', {
    body: { wallets: list(addressOrName, 'Wallets or names.', { minItems: 1, maxItems: 100 }) },
    rules: [everyWalletIn('body', 'wallets')],
    forward: (values) => ({ ...values, body: { addresses: values.body.wallets } }),
    example: { body: { wallets: [EXAMPLE_WALLET] } },
    result: results.batchIdentity,
  }),
  walletRow('balances', 'GET /balances/:wallet', 'The balances of a wallet.', {
    query: {
      page: optional(integer(1, 1000, 'Which page.')),
      limit,
      showZeroBalance: flag,
      showNative: flag,
      showNfts: flag,
    },
    result: results.balances,
  }),
  walletRow('history', 'GET /history/:wallet', 'The transactions of a wallet.', {
    query: {
      limit,
      before: cursor,
      after: cursor,
      type: optional(oneOf(TYPES, 'Only transactions of this type.')),
      tokenAccounts: optional(oneOf(['none', 'balanceChanged', 'all'], 'Whether token accounts count.')),
    },
    result: results.history,
  }),
  walletRow('transfers', 'GET /transfers/:wallet', 'The transfers of a wallet.', {
    query: { limit, cursor },
    result: results.transfers,
  }),
  walletRow('fundedBy', 'GET /funded-by/:wallet', 'The first funder of a wallet.', { result: results.fundedBy }),
];
