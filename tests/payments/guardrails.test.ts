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
