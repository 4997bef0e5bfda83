import { describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { allows, forbids, ROOMY } from './calls.ts';
import { openWallet } from './wallets.ts';

const gateway = await stopAfterTests(startSellingGateway(ROOMY));
const wallet = await openWallet(gateway.solana);

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
    ['commitment', option('commitment'), ['confirmed'], ['recent']],
    ['minContextSlot', option('minContextSlot'), [], [-1]],
    ['unknown option', option('encoding'), [], ['base64']],
  ],
  getAccountInfo: [
    ['parameters', whole, [[A]], [[], [A, {}, {}], [A, { dataSlice: { offset: 0 } }]]],
    ['length of the slice', (length) => [A, { encoding: 'base64', ...slice(length) }], [0, 1024], [-1, 1025, 1.5]],
    ['offset of the slice', (offset) => [A, slice(1, offset)], [], [-1]],
    ['encoding', option('encoding'), [], ['hex']],
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
  getSignaturesForAddress: [
    ['parameters', whole, [[A]], [[A, {}, {}]]],
    ['limit', option('limit'), [1, 100], [0, 101, '10', null]],
  ],
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
    ['paginationToken', option('paginationToken'), [], ['1:2:3']],
    ['sortOrder', option('sortOrder'), [], ['random']],
    ['commitment', option('commitment'), [], ['processed']],
    ['unknown option', option('until'), [], [SIGNATURE]],
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
    ['sortBy', having('sortBy'), [{ sortBy: 'created', sortDirection: 'asc' }], [{ sortBy: 'price' }]],
    ['cursor', having('cursor'), [], ['x'.repeat(201)]],
    ['after', having('after'), [], ['']],
    ['before', having('before'), [], ['a\u0000b']],
    ['options', having('options'), [], [{ showAll: true }, { showFungible: 'true' }]],
    ['ownerAddress', having('ownerAddress'), [], [A.slice(0, 31)]],
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
    query('cursor', [], ['x']),
    ...['showZeroBalance', 'showNative', 'showNfts'].map((flag) =>
      query(flag, ['true', 'false'], ['TRUE', '1', 'yes', '']),
    ),
  ],
  history: [
    ANY,
    LIMIT,
    query('before', [TEXT], [LONGER, '']),
    query('after', [TEXT], [LONGER]),
    query('type', ['SWAP'], ['swap']),
    query('tokenAccounts', ['balanceChanged'], ['some']),
    query('page', [], [1]),
  ],
  transfers: [ANY, LIMIT, query('cursor', [TEXT], [LONGER, 'a\nb'])],
};

/** A row for each value. */
const rowsOf = (methods: Readonly<Record<string, readonly Row[]>>) =>
  Object.entries(methods).flatMap(([method, rows]) => rows.map((row) => [method, ...row] as const));

describe.each([
  ['rpc', RPC, (params: unknown) => ({ body: { params } })],
  ['das', DAS, (params: unknown) => ({ body: { params } })],
  ['wallet', WALLET, (values: unknown) => ({ query: values })],
] as const)('%s', (surface, methods, valuesOf) => {
  it.each(rowsOf(methods))('%s keeps to its guardrail: %s', async (method, _, request, inside, outside) => {
    const id = `${surface}.mainnet.helius.${method}`;
    for (const value of inside) await allows(gateway, id, valuesOf(request(value)) as never, wallet);
    for (const value of outside) await forbids(gateway, id, valuesOf(request(value)) as never, wallet);
  });
});

it.each([
  ['no params at all', {}],
  ['params that are null', { params: null }],
  ['a member beside params', { params: [A], method: 'getSupply' }],
  ['a member of JSON-RPC beside params', { jsonrpc: '2.0', id: 1, params: [A] }],
  ['a list', [{ params: [A] }]],
])('a body is refused with %s', async (_, body) => {
  await forbids(gateway, 'rpc.devnet.alchemy.getBalance', { body: body as never }, wallet);
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
  it.each([A, 'toly.sol'])('is known to identity and batchIdentity as %s', async (name) => {
    await allows(gateway, IDENTITY, { path: { wallet: name } }, wallet);
    await allows(gateway, BATCH, { body: { wallets: [name] } }, wallet);
  });

  it.each(NO_NAMES)('is not known to identity and batchIdentity as %s', async (name) => {
    const names = await forbids(gateway, IDENTITY, { path: { wallet: name } }, wallet);
    expect(new Set(names)).toEqual(new Set(['wallet']));
    await forbids(gateway, BATCH, { body: { wallets: [A, name] } }, wallet);
  });

  it.each(['balances', 'history', 'transfers', 'fundedBy'])('is not known by its name in %s', async (method) => {
    await forbids(gateway, `wallet.mainnet.helius.${method}`, { path: { wallet: 'toly.sol' } }, wallet);
  });

  it('list has from one to a hundred wallets', async () => {
    await allows(gateway, BATCH, { body: { wallets: Array(100).fill(A) } }, wallet);
    for (const body of [{}, { wallets: [] }, { wallets: Array(101).fill(A) }, { wallets: A }, { addresses: [A] }]) {
      await forbids(gateway, BATCH, { body }, wallet);
    }
  });
});
