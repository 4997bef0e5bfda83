import { afterAll, describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { allows, forbids, ROOMY } from './calls.ts';
import { openWallet } from './wallets.ts';

const gateway = await startSellingGateway(ROOMY);
const wallet = await openWallet(gateway.solana);
afterAll(() => gateway.stop());

const A = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
type Cases = readonly (readonly [what: string, values: Readonly<Record<string, unknown>>])[];
interface Method {
  readonly allowed: Cases;
  readonly forbidden: Cases;
}

const owner = (more: object) => ({ ownerAddress: A, ...more });
const paging: Method = {
  allowed: [
    ['limit 1', owner({ limit: 1 })],
    ['limit 100', owner({ limit: 100 })],
    ['page 1', owner({ page: 1 })],
    ['page 10000', owner({ page: 10_000 })],
    ['a sort order', owner({ sortBy: { sortBy: 'created', sortDirection: 'asc' } })],
  ],
  forbidden: [
    ['limit 0', owner({ limit: 0 })],
    ['limit 101', owner({ limit: 101 })],
    ['limit 1000', owner({ limit: 1000 })],
    ['page 0', owner({ page: 0 })],
    ['page 10001', owner({ page: 10_001 })],
    ['page 1.5', owner({ page: 1.5 })],
    ['page as text', owner({ page: '1' })],
    ['a cursor of 201 characters', owner({ cursor: 'x'.repeat(201) })],
    ['an empty cursor', owner({ after: '' })],
    ['a control character', owner({ before: 'a\u0000b' })],
    ['another sort order', owner({ sortBy: { sortBy: 'price' } })],
    ['an unknown option', owner({ options: { showAll: true } })],
    ['an option that is text', owner({ options: { showFungible: 'true' } })],
    ['an owner of 31 characters', { ownerAddress: A.slice(0, 31) }],
    ['a list of parameters', [owner({})] as never],
  ],
};

const DAS: Readonly<Record<string, Method>> = {
  getAsset: {
    allowed: [['options', { id: A, options: { showFungible: true } }]],
    forbidden: [
      ['no id', {}],
      ['an empty id', { id: '' }],
      ['an unknown member', { id: A, ids: [A] }],
      ['an option of lists', { id: A, options: { showGrandTotal: true } }],
    ],
  },
  getAssetsByOwner: { allowed: paging.allowed, forbidden: [...paging.forbidden, ['no owner', { limit: 1 }]] },
  searchAssets: {
    allowed: [...paging.allowed.map(([what, values]) => [what, { tokenType: 'all', ...values }] as const)],
    forbidden: [
      ...paging.forbidden,
      ['another token type', owner({ tokenType: 'coin' })],
      ['a grouping of one', owner({ tokenType: 'all', grouping: ['collection'] })],
      ['a grouping of three', owner({ tokenType: 'all', grouping: ['a', 'b', 'c'] })],
    ],
  },
};

describe.each(Object.entries(DAS))('%s', (method, { allowed, forbidden }) => {
  const id = `das.mainnet.helius.${method}`;
  it.each(allowed)('is sold with %s', async (_, params) => {
    await allows(gateway, id, { body: { params } }, wallet);
  });

  it.each(forbidden)('is refused with %s', async (_, params) => {
    await forbids(gateway, id, { body: { params } }, wallet);
  });
});

const TEXT = 'x'.repeat(200);
const flags = ['showZeroBalance', 'showNative', 'showNfts'];
const limits: Method = {
  allowed: [
    ['limit 1', { limit: 1 }],
    ['limit 100', { limit: 100 }],
    ['no parameter', {}],
  ],
  forbidden: ['0', '101', '-1', '+5', '05', '5.0', '5e1', '0x10', ' 5', '', '٥'].map((limit) => [
    `limit "${limit}"`,
    { limit },
  ]),
};

const WALLET: Readonly<Record<string, Method>> = {
  balances: {
    allowed: [
      ...limits.allowed,
      ['page 1', { page: 1 }],
      ['page 1000', { page: 1000 }],
      ...flags.flatMap((name) => ['true', 'false'].map((value) => [`${name} ${value}`, { [name]: value }] as const)),
    ],
    forbidden: [
      ...limits.forbidden,
      ['page 0', { page: 0 }],
      ['page 1001', { page: 1001 }],
      ...flags.flatMap((name) =>
        ['TRUE', '1', 'yes', ''].map((value) => [`${name} "${value}"`, { [name]: value }] as const),
      ),
      ['a cursor', { cursor: 'x' }],
    ],
  },
  history: {
    allowed: [
      ...limits.allowed,
      ['before of 200 characters', { before: TEXT }],
      ['after of 200 characters', { after: TEXT }],
      ['a type', { type: 'SWAP' }],
      ['tokenAccounts', { tokenAccounts: 'balanceChanged' }],
    ],
    forbidden: [
      ...limits.forbidden,
      ['before of 201 characters', { before: `${TEXT}x` }],
      ['after of 201 characters', { after: `${TEXT}x` }],
      ['an empty before', { before: '' }],
      ['another type', { type: 'swap' }],
      ['another tokenAccounts', { tokenAccounts: 'some' }],
      ['a page', { page: 1 }],
    ],
  },
  transfers: {
    allowed: [...limits.allowed, ['a cursor of 200 characters', { cursor: TEXT }]],
    forbidden: [
      ...limits.forbidden,
      ['a cursor of 201 characters', { cursor: `${TEXT}x` }],
      ['a control character', { cursor: 'a\nb' }],
    ],
  },
};

describe.each(Object.entries(WALLET))('%s', (method, { allowed, forbidden }) => {
  const id = `wallet.mainnet.helius.${method}`;
  it.each(allowed)('is sold with %s', async (_, query) => {
    await allows(gateway, id, { query }, wallet);
  });

  it.each(forbidden)('is refused with %s', async (_, query) => {
    await forbids(gateway, id, { query }, wallet);
  });
});

const LABEL = 'a'.repeat(63);
const NAMES = {
  allowed: [A, 'toly.sol'],
  forbidden: [
    A.slice(0, 31),
    `${A}1`,
    '1'.repeat(31),
    '1'.repeat(33),
    'z'.repeat(44),
    'toly',
    'TOLY.sol',
    `${LABEL}a.sol`,
    `${LABEL}.${'b'.repeat(37)}`,
    'a..sol',
    '.sol',
    'toly.sol.',
    'to_ly.sol',
  ],
};

describe('a wallet', () => {
  it.each(NAMES.allowed)('is known to identity and batchIdentity as %s', async (name) => {
    await allows(gateway, 'wallet.mainnet.helius.identity', { path: { wallet: name } }, wallet);
    const body = { wallets: [name] };
    await allows(gateway, 'wallet.mainnet.helius.batchIdentity', { body }, wallet);
  });

  it.each(NAMES.forbidden)('is not known to identity and batchIdentity as %s', async (name) => {
    const names = await forbids(gateway, 'wallet.mainnet.helius.identity', { path: { wallet: name } }, wallet);
    expect(new Set(names)).toEqual(new Set(['wallet']));
    await forbids(gateway, 'wallet.mainnet.helius.batchIdentity', { body: { wallets: [A, name] } }, wallet);
  });

  it.each(['balances', 'history', 'transfers', 'fundedBy'])('is not known by its name in %s', async (method) => {
    await forbids(gateway, `wallet.mainnet.helius.${method}`, { path: { wallet: 'toly.sol' } }, wallet);
  });

  it('list has from one to a hundred wallets', async () => {
    const id = 'wallet.mainnet.helius.batchIdentity';
    await allows(gateway, id, { body: { wallets: Array(100).fill(A) } }, wallet);
    for (const body of [{}, { wallets: [] }, { wallets: Array(101).fill(A) }, { wallets: A }, { addresses: [A] }]) {
      await forbids(gateway, id, { body }, wallet);
    }
  });
});
