import type { Route } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../describe/requests.ts';
import { callOf, rowOf } from './calls.ts';

/** The rules that a request of a row with these values breaks; undefined if it is accepted. */
function brokenBy(id: string, values: Route['example']) {
  const { target, init } = callOf(id, values);
  return refusalOf(rowOf(id), { target, body: init.body ?? '' });
}

function allows(id: string, values: Route['example']): void {
  expect([values, brokenBy(id, values)]).toEqual([values, undefined]);
}

function forbids(id: string, values: Route['example']): void {
  expect([values, brokenBy(id, values)]).toEqual([values, expect.arrayContaining([expect.any(String)])]);
}

const A = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const SIGNATURE = '1'.repeat(64);

/** A method with requests just inside its guardrail, and just outside. */
type Guardrail = readonly [id: string, inside: readonly Route['example'][], outside: readonly Route['example'][]];

const posting =
  (surface: string) =>
  (method: string, inside: readonly unknown[], outside: readonly unknown[]): Guardrail => {
    const valuesOf = (params: unknown) => ({ body: { params } }) as Route['example'];
    return [`${surface}.mainnet.helius.${method}`, inside.map(valuesOf), outside.map(valuesOf)];
  };
const [rpc, das] = [posting('rpc'), posting('das')];

const slice = (length: unknown, offset: unknown = 0) => ({ dataSlice: { offset, length } });
const dataSize = { dataSize: 165 };
const memcmp = (offset: number, bytes = '11') => ({ memcmp: { offset, bytes } });
const filters = (...some: object[]) => [TOKENS, { filters: some, ...slice(32) }];
const history = (options: object) => [A, { maxSupportedTransactionVersion: 0, ...options }];

const RPC: readonly Guardrail[] = [
  rpc(
    'getBalance',
    [[A], [A, {}]],
    [[], [A, {}, {}], { 0: A }, [A.replace('8', '0')], [A.slice(0, 31)], [`${A}11`], [1]],
  ),
  rpc(
    'getAccountInfo',
    [0, 1024].map((length) => [A, slice(length)]),
    [[], [A, { dataSlice: { offset: 0 } }], ...[-1, 1025, 1.5].map((length) => [A, slice(length)]), [A, slice(1, -1)]],
  ),
  rpc('getTransaction', [[SIGNATURE]], [[], [SIGNATURE, {}, {}], [SIGNATURE.slice(1)], ['2'.repeat(89)]]),
  rpc(
    'getSignaturesForAddress',
    [1, 100].map((limit) => [A, { limit }]),
    [0, 101, '10', null].map((limit) => [A, { limit }]),
  ),
  rpc(
    'getTokenAccountsByOwner',
    [
      [A, { mint: A }],
      [A, { programId: TOKENS }, { encoding: 'jsonParsed' }],
    ],
    [[A], [A, {}], [A, { mint: A, programId: TOKENS }], [A, { mint: A }, slice(1025)]],
  ),
  rpc(
    'getProgramAccounts',
    [
      ...[0, 256].map((length) => [TOKENS, { filters: [dataSize], ...slice(length) }]),
      filters(dataSize, memcmp(0), memcmp(4), memcmp(10_000_000)),
      filters(memcmp(0, '1'.repeat(128))),
    ],
    [
      [TOKENS],
      [TOKENS, slice(32)],
      [TOKENS, { filters: [dataSize] }],
      [TOKENS, { filters: [dataSize], ...slice(257) }],
      filters(),
      filters(...Array(5).fill(dataSize)),
      ...[memcmp(-1), memcmp(10_000_001), memcmp(0, '1'.repeat(129)), memcmp(0, '')].map((one) => filters(one)),
      filters({ ...dataSize, ...memcmp(0) }),
      filters({ tokenAccountState: true }),
    ],
  ),
  rpc(
    'getTransactionsForAddress',
    [
      { limit: 1000 },
      { transactionDetails: 'signatures', limit: 1000 },
      { transactionDetails: 'full', limit: 100 },
    ].map(history),
    [{ limit: 0 }, { limit: 1001 }, { transactionDetails: 'full', limit: 101 }, { filters: { program: TOKENS } }].map(
      history,
    ),
  ),
];

const paged = (more: object) => ({ ownerAddress: A, tokenType: 'all', ...more });
const DAS: readonly Guardrail[] = [
  das(
    'getAsset',
    [{ id: A, options: { showFungible: true } }],
    [{}, { id: '' }, { id: A, options: { showGrandTotal: true } }],
  ),
  das(
    'getAssetsByOwner',
    [1, 100].map((limit) => ({ ownerAddress: A, limit })),
    [{ limit: 1 }, [{ ownerAddress: A }]],
  ),
  das(
    'searchAssets',
    [{ limit: 1 }, { limit: 100 }, { page: 1 }, { page: 10_000 }].map(paged),
    [
      ...[0, 101, 1000].map((limit) => ({ limit })),
      ...[0, 10_001, 1.5, '1'].map((page) => ({ page })),
      { cursor: 'x'.repeat(201) },
      { tokenType: 'coin' },
      { grouping: ['collection'] },
    ].map(paged),
  ),
];

const TEXT = 'x'.repeat(200);
const asking = (method: string, inside: readonly object[], outside: readonly object[]): Guardrail => {
  const valuesOf = (query: object) => ({ query }) as Route['example'];
  const limits = ['0', '101', '-1', '+5', '05', '5.0', '5e1', '0x10', ' 5', '', '٥'].map((limit) => ({ limit }));
  const within = [{}, { limit: 1 }, { limit: 100 }, ...inside];
  return [`wallet.mainnet.helius.${method}`, within.map(valuesOf), [...limits, ...outside].map(valuesOf)];
};
const WALLET: readonly Guardrail[] = [
  asking(
    'balances',
    [{ page: 1 }, { page: 1000 }, { showNfts: true }],
    [{ page: 0 }, { page: 1001 }, ...['TRUE', '1', ''].map((showNfts) => ({ showNfts }))],
  ),
  asking(
    'history',
    [{ before: TEXT }, { after: TEXT }],
    [{ before: `${TEXT}x` }, { before: '' }, { after: `${TEXT}x` }],
  ),
  asking('transfers', [{ cursor: TEXT }], [{ cursor: `${TEXT}x` }, { cursor: 'a\nb' }]),
];

it.each([...RPC, ...DAS, ...WALLET])('%s keeps to its guardrail', (id, inside, outside) => {
  for (const values of inside) allows(id, values);
  for (const values of outside) forbids(id, values);
});

it.each([
  ['no params at all', {}],
  ['a member beside params', { params: [A], method: 'getSupply' }],
  ['a list', [{ params: [A] }]],
])('a body is refused with %s', (_, body) => {
  forbids('rpc.devnet.alchemy.getBalance', { body: body as never });
});

const LABEL = 'a'.repeat(63);
const NO_NAMES = [
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
];
const IDENTITY = 'wallet.mainnet.helius.identity';
const BATCH = 'wallet.mainnet.helius.batchIdentity';

describe('a wallet', () => {
  it.each([A, 'toly.sol'])('is known to identity and batchIdentity as %s', (name) => {
    allows(IDENTITY, { path: { wallet: name } });
    allows(BATCH, { body: { wallets: [name] } });
  });

  it.each(NO_NAMES)('is not known to identity and batchIdentity as %s', (name) => {
    forbids(IDENTITY, { path: { wallet: name } });
    forbids(BATCH, { body: { wallets: [A, name] } });
  });

  it.each(['balances', 'history', 'transfers', 'fundedBy'])('is not known by its name in %s', (method) => {
    forbids(`wallet.mainnet.helius.${method}`, { path: { wallet: 'toly.sol' } });
  });

  it('list has from one to a hundred wallets', () => {
    allows(BATCH, { body: { wallets: Array(100).fill(A) } });
    for (const body of [{}, { wallets: [] }, { wallets: Array(101).fill(A) }, { wallets: A }, { addresses: [A] }]) {
      forbids(BATCH, { body });
    }
  });
});
