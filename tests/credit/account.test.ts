import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Account,
  availableOf,
  balanceOf,
  CREDIT,
  holdRefusal,
  NEW_ACCOUNT,
  withUnchargedCall,
} from '../../packages/gateway/src/credit/account.ts';
import { hold } from '../../packages/gateway/src/credit/rows.ts';
import { HOLDER, newDebit, sharedLedgerSuite } from '../kit/ledger.ts';
import { samples } from '../kit/rounds.ts';

const NOW = 1_000_000;
const rich: Account = { ...NEW_ACCOUNT, grantedMicros: 13, spentMicros: 3 };

it('a balance is what was granted and not spent, and what is available is not held either', () => {
  expect([balanceOf(rich), availableOf(rich), balanceOf(NEW_ACCOUNT)]).toEqual([10, 10, 0]);
  expect(availableOf({ ...rich, heldMicros: 4, holds: 1 })).toBe(6);
});

describe('a price', () => {
  it.each<[string, Partial<Account>, number, ReturnType<typeof holdRefusal>]>([
    ['the whole balance is held', {}, 10, undefined],
    ['more than the balance is refused', {}, 11, 'insufficient'],
    ['what others leave is held', { heldMicros: 6, holds: 1 }, 4, undefined],
    ['what others hold waits, since it may come back', { heldMicros: 6, holds: 1 }, 5, 'busy'],
    ['more than the balance is refused, whatever others hold', { heldMicros: 6, holds: 1 }, 11, 'insufficient'],
    ['one call of eight is held', { holds: CREDIT.holdsPerWallet - 1 }, 1, undefined],
    ['a ninth call waits', { holds: CREDIT.holdsPerWallet }, 1, 'busy'],
    ['a wallet whose calls fail waits', { failingUntilMs: NOW + 1 }, 1, 'failing'],
    ['a wallet whose calls failed before is served', { failingUntilMs: NOW }, 1, undefined],
  ])('of %s', (_, change, micros, reason) => {
    expect(holdRefusal({ ...rich, ...change }, micros, NOW)).toBe(reason);
  });
});

describe('uncharged calls', () => {
  const { unchargedCalls: most, unchargedWindowMs: windowMs } = CREDIT;
  const times = (count: number) => Array.from({ length: count }, (_, index) => NOW + index);

  it.each([
    ['the tenth within a minute closes the wallet for the rest of it', most - 1, NOW + windowMs - 1, NOW + windowMs],
    ['the ninth does not', most - 2, NOW + windowMs - 1, 0],
    ['the tenth does not when the first is a minute ago', most - 1, NOW + windowMs, 0],
  ])('%s', (_, before, nowMs, failingUntilMs) => {
    const noted = withUnchargedCall(times(before), nowMs);
    expect([noted.failingUntilMs, noted.times.at(-1)]).toEqual([failingUntilMs, nowMs]);
  });

  it('are remembered ten at the most', () => {
    const noted = withUnchargedCall(times(most), NOW + most);
    expect(noted).toEqual({ times: times(most + 1).slice(1), failingUntilMs: NOW + 1 + windowMs });
  });
});

/** Accounts near every limit, and a price. */
const CASES = fc
  .tuple(fc.nat(12), fc.nat(12), fc.nat(12))
  .map((amounts) => amounts.toSorted((one, other) => one - other))
  .chain(([heldMicros = 0, balance = 0, granted = 0]) =>
    fc.record({
      grantedMicros: fc.constant(granted),
      spentMicros: fc.constant(granted - balance),
      heldMicros: fc.constant(heldMicros),
      holds: fc.integer({ min: 0, max: CREDIT.holdsPerWallet + 1 }),
      failingUntilMs: fc.constantFrom(0, NOW, NOW + 1),
      micros: fc.nat(13),
    }),
  );

const SET_ACCOUNT = `insert into wallets
  (cluster, address, granted_micro_usdc, spent_micro_usdc, held_micro_usdc, holds, failing_until_ms)
  select 'mainnet', $1, $2, $3, $4, $5, $6 where {in time} on conflict (cluster, address) do update set
  granted_micro_usdc = excluded.granted_micro_usdc, spent_micro_usdc = excluded.spent_micro_usdc,
  held_micro_usdc = excluded.held_micro_usdc, holds = excluded.holds, failing_until_ms = excluded.failing_until_ms returning id`;

sharedLedgerSuite('a hold', (ledger) => {
  it('is written exactly if holdRefusal finds no reason, and then holds its price', async () => {
    const { database, accounts } = ledger;
    await fc.assert(
      fc.asyncProperty(CASES, async ({ micros, ...account }) => {
        const { grantedMicros, spentMicros, heldMicros, holds, failingUntilMs } = account;
        const values = [HOLDER.wallet, grantedMicros, spentMicros, heldMicros, holds, failingUntilMs];
        await database.write({ guard: { sql: SET_ACCOUNT, values } });
        const step = hold(newDebit(micros), NOW, {});
        const isHeld = (await database.write(step)) !== undefined;
        expect(isHeld).toBe(holdRefusal(account, micros, NOW) === undefined);
        const held = isHeld ? { heldMicros: heldMicros + micros, holds: holds + 1 } : {};
        expect(await accounts.find(HOLDER)).toEqual({ ...account, ...held });
      }),
      // The suite is tried again if the error in the report says that PostgreSQL answered too late.
      { numRuns: samples(2_000), includeErrorInReport: true },
    );
  });
});
