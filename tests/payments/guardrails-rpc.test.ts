import { afterAll, describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { allows, forbids, ROOMY } from './calls.ts';
import { openWallet } from './wallets.ts';

const gateway = await startSellingGateway(ROOMY);
const wallet = await openWallet(gateway.solana);
afterAll(() => gateway.stop());

const A = 'So11111111111111111111111111111111111111112';
const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const SIGNATURE = '1'.repeat(64);
const slice = (length: number, offset = 0) => ({ dataSlice: { offset, length } });
const dataSize = { dataSize: 165 };
const memcmp = (offset: number, bytes = '11') => ({ memcmp: { offset, bytes } });
const accounts = (options: object) => [TOKENS, { filters: [dataSize], ...slice(32), ...options }];
const held = (which: object, ...rest: unknown[]) => [A, which, ...rest];

type Cases = readonly (readonly [what: string, params: unknown])[];
interface Method {
  readonly allowed: Cases;
  readonly forbidden: Cases;
}

/** Values just inside and just outside of each guardrail. */
const RPC: Readonly<Record<string, Method>> = {
  getBalance: {
    allowed: [
      ['1 parameter', [A]],
      ['2 parameters', [A, { commitment: 'confirmed' }]],
      ['no options in it', [A, {}]],
    ],
    forbidden: [
      ['0 parameters', []],
      ['3 parameters', [A, {}, {}]],
      ['no list', { 0: A }],
      ['an address with 0', [A.replace('S', '0')]],
      ['an address of 31 characters', [A.slice(0, 31)]],
      ['an address of 45 characters', [`${A}11`]],
      ['a number', [1]],
      ['another commitment', [A, { commitment: 'recent' }]],
      ['a negative slot', [A, { minContextSlot: -1 }]],
      ['an unknown option', [A, { encoding: 'base64' }]],
    ],
  },
  getAccountInfo: {
    allowed: [
      ['1 parameter', [A]],
      ['dataSlice of 0', [A, { encoding: 'base64', ...slice(0) }]],
      ['dataSlice of 1024', [A, { encoding: 'base64', ...slice(1024) }]],
    ],
    forbidden: [
      ['0 parameters', []],
      ['3 parameters', [A, {}, {}]],
      ['dataSlice of -1', [A, slice(-1)]],
      ['dataSlice of 1025', [A, slice(1025)]],
      ['dataSlice of 1.5', [A, slice(1.5)]],
      ['dataSlice at -1', [A, slice(1, -1)]],
      ['dataSlice without length', [A, { dataSlice: { offset: 0 } }]],
      ['another encoding', [A, { encoding: 'hex' }]],
    ],
  },
  getTransaction: {
    allowed: [
      ['1 parameter', [SIGNATURE]],
      ['2 parameters', [SIGNATURE, { encoding: 'json', maxSupportedTransactionVersion: 0 }]],
    ],
    forbidden: [
      ['0 parameters', []],
      ['3 parameters', [SIGNATURE, {}, {}]],
      ['a signature of 63 characters', [SIGNATURE.slice(1)]],
      ['a signature of 89 characters', ['2'.repeat(89)]],
      ['version 256', [SIGNATURE, { maxSupportedTransactionVersion: 256 }]],
      ['version -1', [SIGNATURE, { maxSupportedTransactionVersion: -1 }]],
    ],
  },
  getSignaturesForAddress: {
    allowed: [
      ['limit 1', [A, { limit: 1 }]],
      ['limit 100', [A, { limit: 100 }]],
      ['no limit', [A]],
    ],
    forbidden: [
      ['limit 0', [A, { limit: 0 }]],
      ['limit 101', [A, { limit: 101 }]],
      ['limit as text', [A, { limit: '10' }]],
      ['limit null', [A, { limit: null }]],
      ['3 parameters', [A, {}, {}]],
    ],
  },
  getTokenAccountsByOwner: {
    allowed: [
      ['a mint', held({ mint: A })],
      ['a program and options', held({ programId: TOKENS }, { encoding: 'jsonParsed' })],
    ],
    forbidden: [
      ['1 parameter', [A]],
      ['4 parameters', held({ mint: A }, {}, {})],
      ['mint and programId', held({ mint: A, programId: TOKENS })],
      ['neither', held({})],
      ['both, one of them null', held({ mint: A, programId: null })],
      ['a dataSlice of 1025', held({ mint: A }, slice(1025))],
    ],
  },
  getProgramAccounts: {
    allowed: [
      ['1 filter', accounts({})],
      ['4 filters', accounts({ filters: [dataSize, memcmp(0), memcmp(4), memcmp(10_000_000)] })],
      ['dataSlice of 0', accounts(slice(0))],
      ['dataSlice of 256', accounts(slice(256))],
      ['memcmp of 128 characters', accounts({ filters: [memcmp(0, '1'.repeat(128))] })],
    ],
    forbidden: [
      ['1 parameter', [TOKENS]],
      ['3 parameters', [...accounts({}), {}]],
      ['no filters', [TOKENS, slice(32)]],
      ['0 filters', accounts({ filters: [] })],
      ['5 filters', accounts({ filters: Array(5).fill(dataSize) })],
      ['no dataSlice', [TOKENS, { filters: [dataSize] }]],
      ['dataSlice of 257', accounts(slice(257))],
      ['memcmp at -1', accounts({ filters: [memcmp(-1)] })],
      ['memcmp at 10,000,001', accounts({ filters: [memcmp(10_000_001)] })],
      ['memcmp of 129 characters', accounts({ filters: [memcmp(0, '1'.repeat(129))] })],
      ['memcmp of nothing', accounts({ filters: [memcmp(0, '')] })],
      ['a filter of both kinds', accounts({ filters: [{ ...dataSize, ...memcmp(0) }] })],
      ['an unknown filter', accounts({ filters: [{ tokenAccountState: true }] })],
    ],
  },
  getTransactionsForAddress: {
    allowed: [
      ['signatures, limit 1000', [A, { transactionDetails: 'signatures', limit: 1000 }]],
      ['limit 1000 by default', [A, { limit: 1000 }]],
      ['full, limit 100', [A, { transactionDetails: 'full', limit: 100, maxSupportedTransactionVersion: 0 }]],
      ['every filter', [A, { filters: { slot: { gte: 1 }, status: 'any', tokenAccounts: 'none' } }]],
    ],
    forbidden: [
      ['signatures, limit 1001', [A, { limit: 1001 }]],
      ['limit 0', [A, { limit: 0 }]],
      ['full, limit 101', [A, { transactionDetails: 'full', limit: 101 }]],
      ['an unknown key', [A, { until: SIGNATURE }]],
      ['an unknown filter', [A, { filters: { program: TOKENS } }]],
      ['another token', [A, { paginationToken: '1:2:3' }]],
      ['another order', [A, { sortOrder: 'random' }]],
      ['commitment processed', [A, { commitment: 'processed' }]],
    ],
  },
};

const bodies = (cases: Cases) => cases.map(([what, params]) => [what, { body: { params } }] as const);

describe.each(Object.entries(RPC))('%s', (method, { allowed, forbidden }) => {
  const id = `rpc.mainnet.helius.${method}`;
  it.each(bodies(allowed))('is sold with %s', async (_, values) => {
    await allows(gateway, id, values, wallet);
  });

  it.each(bodies(forbidden))('is refused with %s', async (_, values) => {
    await forbids(gateway, id, values, wallet);
  });
});

it.each([
  ['no params at all', {}],
  ['params that are null', { params: null }],
  ['a member beside params', { params: [A], method: 'getSupply' }],
  ['a member of JSON-RPC beside params', { jsonrpc: '2.0', id: 1, params: [A] }],
  ['a list', [{ params: [A] }]],
])('a body is refused with %s', async (_, body) => {
  const issues = await forbids(gateway, 'rpc.devnet.alchemy.getBalance', { body: body as object as never }, wallet);
  expect(issues.length).toBeGreaterThan(0);
});
