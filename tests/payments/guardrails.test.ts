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

/** Values that a member of a request may have, just inside its guardrail, and values just outside. */
type Row = readonly [what: string, request: (value: unknown) => unknown, inside: unknown[], outside: unknown[]];

const whole = (params: unknown) => params;
const option = (name: string) => (value: unknown) => [A, { [name]: value }];
const slice = (length: unknown, offset: unknown = 0) => ({ dataSlice: { offset, length } });

const dataSize = { dataSize: 165 };
const memcmp = (offset: number, bytes = '11') => ({ memcmp: { offset, bytes } });
const filters = (some: unknown) => [TOKENS, { filters: some, ...slice(32) }];
const filter = (one: unknown) => filters([one]);
const held = (which: unknown) => [A, which];
const full = (limit: unknown) => [A, { transactionDetails: 'full', limit, maxSupportedTransactionVersion: 0 }];

/** Parameters of JSON-RPC methods. */
const RPC: Readonly<Record<string, readonly Row[]>> = {
  getBalance: [
    ['parameters', whole, [[A], [A, {}]], [[], [A, {}, {}], { 0: A }]],
    ['address', (address) => [address], [], [A.replace('8', '0'), A.slice(0, 31), `${A}11`, 1]],
  ],
  getAccountInfo: [
    ['parameters', whole, [[A]], [[], [A, {}, {}], [A, { dataSlice: { offset: 0 } }]]],
    ['length of the slice', (length) => [A, { encoding: 'base64', ...slice(length) }], [0, 1024], [-1, 1025, 1.5]],
    ['offset of the slice', (offset) => [A, slice(1, offset)], [], [-1]],
  ],
  getTransaction: [
    ['parameters', whole, [[SIGNATURE]], [[], [SIGNATURE, {}, {}]]],
    ['signature', (signature) => [signature], [], [SIGNATURE.slice(1), '2'.repeat(89)]],
    [
      'version',
      (version) => [SIGNATURE, { encoding: 'json', maxSupportedTransactionVersion: version }],
      [0],
      [-1, 256],
    ],
  ],
  getSignaturesForAddress: [['limit', option('limit'), [1, 100], [0, 101, '10', null]]],
  getTokenAccountsByOwner: [
    ['parameters', whole, [[A, { programId: TOKENS }, { encoding: 'jsonParsed' }]], [[A], [A, { mint: A }, {}, {}]]],
    ['mint or program', held, [{ mint: A }], [{ mint: A, programId: TOKENS }, {}, { mint: A, programId: null }]],
    ['length of the slice', (length) => [A, { mint: A }, slice(length)], [], [1025]],
  ],
  getProgramAccounts: [
    [
      'parameters',
      whole,
      [],
      [[TOKENS], [...filter(dataSize), {}], [TOKENS, slice(32)], [TOKENS, { filters: [dataSize] }]],
    ],
    [
      'filters',
      filters,
      [[dataSize], [dataSize, memcmp(0), memcmp(4), memcmp(10_000_000)]],
      [[], Array(5).fill(dataSize)],
    ],
    ['length of the slice', (length) => [TOKENS, { filters: [dataSize], ...slice(length) }], [0, 256], [257]],
    ['offset of memcmp', filter, [], [memcmp(-1), memcmp(10_000_001)]],
    ['bytes of memcmp', (bytes) => filter({ memcmp: { offset: 0, bytes } }), ['1'.repeat(128)], ['1'.repeat(129), '']],
    ['kind of filter', filter, [], [{ ...dataSize, ...memcmp(0) }, { tokenAccountState: true }]],
  ],
  getTransactionsForAddress: [
    ['limit', option('limit'), [1000], [0, 1001]],
    ['limit of signatures', (limit) => [A, { transactionDetails: 'signatures', limit }], [1000], [1001]],
    ['limit of transactions', full, [100], [101]],
    ['filters', option('filters'), [{ slot: { gte: 1 }, status: 'any', tokenAccounts: 'none' }], [{ program: TOKENS }]],
  ],
};

const owned = (more: object) => ({ ownerAddress: A, ...more });
const paging = (method: string): Row[] => {
  const having = (name: string) => (value: unknown) => ({
    ...owned({ [name]: value }),
    ...(method === 'searchAssets' && { tokenType: 'all' }),
  });
  return [
    ['limit', having('limit'), [1, 100], [0, 101, 1000]],
    ['page', having('page'), [1, 10_000], [0, 10_001, 1.5, '1']],
    ['cursor', having('cursor'), [], ['x'.repeat(201)]],
    ['parameters', whole, [], [[owned({})]]],
  ];
};

/** Parameters of DAS methods. */
const DAS: Readonly<Record<string, readonly Row[]>> = {
  getAsset: [
    ['parameters', whole, [], [{}, { id: A, ids: [A] }]],
    ['id', (id) => ({ id }), [], ['']],
    ['options', (options) => ({ id: A, options }), [{ showFungible: true }], [{ showGrandTotal: true }]],
  ],
  getAssetsByOwner: [...paging('getAssetsByOwner'), ['parameters', whole, [], [{ limit: 1 }]]],
  searchAssets: [
    ...paging('searchAssets'),
    ['tokenType', (tokenType) => owned({ tokenType }), [], ['coin']],
    ['grouping', (grouping) => owned({ tokenType: 'all', grouping }), [], [['collection'], ['a', 'b', 'c']]],
  ],
};

const query = (name: string, inside: unknown[], outside: unknown[]): Row => [
  name,
  (value) => ({ [name]: value }),
  inside,
  outside,
];
const LIMIT = query('limit', [1, 100], ['0', '101', '-1', '+5', '05', '5.0', '5e1', '0x10', ' 5', '', '٥']);
const ANY: Row = ['parameters', whole, [{}], []];
const [TEXT, LONGER] = ['x'.repeat(200), 'x'.repeat(201)];

/** Queries of the wallet API. */
const WALLET: Readonly<Record<string, readonly Row[]>> = {
  balances: [
    ANY,
    LIMIT,
    query('page', [1, 1000], [0, 1001]),
    query('showNfts', ['true', 'false'], ['TRUE', '1', 'yes', '']),
  ],
  history: [ANY, LIMIT, query('before', [TEXT], [LONGER, '']), query('after', [TEXT], [LONGER])],
  transfers: [ANY, LIMIT, query('cursor', [TEXT], [LONGER, 'a\nb'])],
};

/** A row for each value. */
const rowsOf = (methods: Readonly<Record<string, readonly Row[]>>) =>
  Object.entries(methods).flatMap(([method, rows]) => rows.map((row) => [method, ...row] as const));

describe.each([
  ['rpc', RPC],
  ['das', DAS],
  ['wallet', WALLET],
] as const)('%s', (surface, methods) => {
  it.each(rowsOf(methods))('%s keeps to its guardrail: %s', (method, _, request, inside, outside) => {
    const id = `${surface}.mainnet.helius.${method}`;
    const valuesOf = (value: unknown) =>
      (surface === 'wallet' ? { query: request(value) } : { body: { params: request(value) } }) as Route['example'];
    for (const value of inside) allows(id, valuesOf(value));
    for (const value of outside) forbids(id, valuesOf(value));
  });
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
