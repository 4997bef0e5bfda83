import { randomBytes } from 'node:crypto';
import { HEADERS } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AtomicWrite, Statement } from '../../packages/gateway/src/stores/sql/database.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { Retention } from '../../packages/gateway/src/stores/sql/retention.ts';
import { SqliteDatabase } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { callOf, sendPaid } from './calls.ts';
import { carrying, draftOf, signed } from './drafts.ts';
import { openForge } from './forge.ts';
import { COMPUTE_FORGERIES, SIGNATURE_FORGERIES, TRANSFER_FORGERIES } from './forgeries.ts';

const forge = await openForge();
const genuine = await forge.genuine();
const CALL = callOf('rpc.devnet.helius.getBalance');

/** What the gateway does by itself: it looks up open payments, and forgets slots. */
const OF_BACKGROUND = /order by coalesce\(search_from_ms|from admissions/;

/** The statements that a request with this payment causes. */
async function statementsFor(payment: unknown): Promise<string[]> {
  const seen: string[] = [];
  const note = ({ sql }: Statement) => void (OF_BACKGROUND.test(sql) || seen.push(sql));
  vi.spyOn(Retention.prototype, 'prune').mockResolvedValue(undefined);
  for (const { prototype } of [SqliteDatabase, PostgresDatabase])
    for (const name of ['read', 'report', 'write'] as const) {
      const method = prototype[name] as (asked: object) => Promise<never>;
      vi.spyOn(prototype, name).mockImplementation(async function (
        this: SqliteDatabase,
        asked: Statement | AtomicWrite,
      ) {
        for (const each of 'condition' in asked ? [asked.condition, ...(asked.changes ?? [])] : [asked]) note(each);
        return method.call(this, asked);
      });
    }
  const { calls, transfers } = await forge.standing();
  const response = await sendPaid(forge.gateway, CALL, payment);
  expect([response.status, response.headers.has(HEADERS.paymentRequired)]).toEqual([402, true]);
  expect(await forge.standing()).toMatchObject({ calls, transfers });
  vi.restoreAllMocks();
  return seen;
}

afterEach(() => void vi.restoreAllMocks());

describe('X10 the database is asked nothing', () => {
  it.each<[string, () => unknown]>([
    ['of bytes that are no payment', () => randomBytes(300).toString('base64')],
    ['of a payment without a transaction', () => ({ ...genuine.payload, payload: {} })],
    ['of a transaction of random bytes', () => carrying(genuine.payload, randomBytes(400))],
    ['of a transaction that was cut off', () => carrying(genuine.payload, genuine.wire.subarray(0, -1))],
    ['of a transaction that nobody has signed', () => carrying(genuine.payload, signed(draftOf(genuine.wire), []))],
  ])('%s', async (_, payment) => {
    expect(await statementsFor(payment())).toEqual([]);
  });

  it.each(SIGNATURE_FORGERIES)('of a transaction with $name', async ({ make }) => {
    const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, forge);
    expect(await statementsFor(carrying(genuine.payload, wire))).toEqual([]);
  });

  it.each([...TRANSFER_FORGERIES, ...COMPUTE_FORGERIES])('of an unsigned transaction with $name', async ({ make }) => {
    const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, forge);
    expect(await statementsFor(carrying(genuine.payload, signed(draftOf(wire), [])))).toEqual([]);
  });
});

describe('X10 the database is asked for one row by its key', () => {
  it.each([...TRANSFER_FORGERIES, ...COMPUTE_FORGERIES])('by a signed transaction with $name', async ({ make }) => {
    const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, forge);
    expect(await statementsFor(carrying(genuine.payload, wire))).toEqual([
      expect.stringMatching(/where p\.key = \$1$/),
    ]);
  });
});
