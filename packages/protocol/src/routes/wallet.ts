import Type from 'typebox';
import { address, integer, list, oneOf, optional, text } from '../parameters.ts';
import { ADDRESS_OR_NAME_PATTERN } from '../patterns.ts';
import * as wallet from '../results/wallet.ts';
import type { Route } from '../route.ts';
import { everyWalletIn, walletIn } from '../rules.ts';
import { paidRow, type RowOptions } from './row.ts';
import TRANSACTION_TYPES from './transaction-types.json' with { type: 'json' };

const CREDITS = 100;
const EXAMPLE_WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';

const plainAddress = address('A base58 address of 32 bytes.');
const addressOrName = Type.String({
  pattern: ADDRESS_OR_NAME_PATTERN.source,
  maxLength: 100,
  description: 'A base58 address of 32 bytes, a .sol domain or a custom-TLD name.',
});
const flag = optional(Type.Boolean({ description: 'Exactly true or false.' }));
const limit = optional(integer(1, 100, 'How many.'));
const cursor = optional(text('The cursor of a previous answer.', 200));

const results = { ...wallet };

type WalletMethod = keyof typeof results;

function row(method: WalletMethod, endpoint: string, description: string, options: RowOptions): Route {
  const [verb, path = ''] = endpoint.split(' ');
  const upstreamPath = `/v1/wallet${path.replace(/^\/([\w-]+)\/:wallet$/, '/:wallet/$1')}`;
  const identity = { provider: 'helius', surface: 'wallet', cluster: 'mainnet', method } as const;
  const ours = { endpoint: `${verb} /v1/x402/helius/wallet${path}`, upstreamPath, units: CREDITS };
  return paidRow({ ...identity, ...ours, description, result: results[method], ...options });
}

function walletRow(method: WalletMethod, endpoint: string, description: string, query?: RowOptions['query']): Route {
  return row(method, endpoint, description, {
    path: { wallet: method === 'identity' ? addressOrName : plainAddress },
    ...(query && { query }),
    rules: [walletIn('path', 'wallet')],
    example: { path: { wallet: EXAMPLE_WALLET } },
  });
}

/** The paid wallet-data routes, all on mainnet. */
export const walletRoutes: readonly Route[] = [
  walletRow('identity', 'GET /identity/:wallet', 'The known identity of a wallet.'),
  row('batchIdentity', 'POST /batch-identity', 'The known identities of up to 100 wallets.', {
    body: { wallets: list(addressOrName, 'Wallets or names.', { minItems: 1, maxItems: 100 }) },
    rules: [everyWalletIn('body', 'wallets')],
    forward: (values) => ({ ...values, body: { addresses: values.body.wallets } }),
    example: { body: { wallets: [EXAMPLE_WALLET] } },
  }),
  walletRow('balances', 'GET /balances/:wallet', 'The balances of a wallet.', {
    page: optional(integer(1, 1000, 'Which page.')),
    limit,
    showZeroBalance: flag,
    showNative: flag,
    showNfts: flag,
  }),
  walletRow('history', 'GET /history/:wallet', 'The transactions of a wallet.', {
    limit,
    before: cursor,
    after: cursor,
    type: optional(oneOf(TRANSACTION_TYPES, 'Only transactions of this type.')),
    tokenAccounts: optional(oneOf(['none', 'balanceChanged', 'all'], 'Whether token accounts count.')),
  }),
  walletRow('transfers', 'GET /transfers/:wallet', 'The transfers of a wallet.', { limit, cursor }),
  walletRow('fundedBy', 'GET /funded-by/:wallet', 'The first funder of a wallet.'),
];
