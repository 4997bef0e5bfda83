import { NETWORKS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import type { Settlement } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import {
  adopt,
  apply,
  beginSettlement,
  countCall,
  endSearch,
  release,
  reserve,
  resolve,
  type Transition,
} from '../../packages/gateway/src/payments/machine.ts';
import type { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { NewPayment, PayerState, PaymentRecord } from '../../packages/gateway/src/payments/record.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import {
  landed,
  ledgerSuite,
  newPayment,
  REFUSED,
  requirementOf,
  signatureOf,
  startSettling,
  UNKNOWN,
  UNSENT,
} from '../kit/ledger.ts';
import { everyThird } from '../kit/rounds.ts';

const NOW = 1_000_000_000;
const payment = newPayment({ owner: 'owner', network: NETWORKS.mainnet, requirement: requirementOf(5) });
const SETTLED = landed(payment);

const held = { leasedUntilMs: NOW + TIMES.renewMs + 1 };
const lapsed = { leasedUntilMs: NOW };
const over = { resolvedAtMs: NOW - 1, forgetAtMs: NOW + 1 };

const stateOf = (record: PaymentRecord | undefined): PayerState => ({
  record: record && { calls: 1, ...record },
  calls: record ? 1 : 0,
  ...{ inFlight: 0, recentCalls: 0, paid: [], due: [] },
  ...{ balanceMicros: 0, isCovered: false, purchaseKey: undefined, closedUntilMs: 0 },
});

/** Every state that a payment can be found in. */
const STATES = {
  unknown: stateOf(undefined),
  reserved: stateOf({ ...payment, ...held, progress: 'reserved' }),
  'reserved, lapsed': stateOf({ ...payment, ...lapsed, progress: 'reserved' }),
  settling: stateOf({ ...payment, ...held, progress: 'settling' }),
  'settling, about to lapse': stateOf({ ...payment, leasedUntilMs: NOW + TIMES.renewMs, progress: 'settling' }),
  'settling, lapsed': stateOf({ ...payment, ...lapsed, progress: 'settling' }),
  unresolved: stateOf({ ...payment, progress: 'unresolved' }),
  owed: stateOf({ ...payment, ...over, progress: 'settled', signature: SETTLED.signature, owed: true }),
  delivered: stateOf({ ...payment, ...over, progress: 'settled', signature: SETTLED.signature, owed: false }),
  refused: stateOf({ ...payment, ...over, progress: 'refused', reason: REFUSED.reason, owed: false }),
  'refused, forgotten': stateOf({ ...payment, progress: 'refused', resolvedAtMs: 0, forgetAtMs: NOW - 1 }),
} as const;

/** Every event, by each possible source. */
const EVENTS = {
  reserved: reserve({ ...payment, owner: 'next' }),
  called: countCall,
  settling: beginSettlement('owner', { height: 7 }),
  'settling by another': beginSettlement('another', {}),
  unresolved: resolve({ ...UNKNOWN, signature: 'told' }),
  'proof of a transfer': resolve(SETTLED),
  'proof of none': resolve(REFUSED),
  "the owner's word": resolve(REFUSED, 'owner'),
  "another's word": resolve(REFUSED, 'another'),
  adopted: adopt(payment, 'found'),
  released: release('owner', true),
  'released by another': release('another', true),
  withdrawn: resolve(UNSENT, 'owner'),
} as const satisfies Record<string, Transition>;

const proven = { 'proof of a transfer': 'settled', 'proof of none': 'refused', adopted: 'settled' };
const unproven = { ...proven, called: 'unresolved', unresolved: 'unresolved' };
const forgotten = { reserved: 'reserved', adopted: 'settled' };

/** The next state by state and event. Events that are missing change nothing. */
const CHANGES: Readonly<Record<keyof typeof STATES, Partial<Record<keyof typeof EVENTS, string>>>> = {
  unknown: forgotten,
  reserved: { ...proven, called: 'reserved', settling: 'settling', released: 'unknown' },
  'reserved, lapsed': forgotten,
  settling: {
    ...{ ...proven, called: 'settling', unresolved: 'unresolved' },
    ...{ "the owner's word": 'refused', withdrawn: 'unknown' },
  },
  'settling, about to lapse': { ...unproven, called: 'settling' },
  'settling, lapsed': unproven,
  unresolved: unproven,
  owed: { called: 'settled' },
  delivered: { called: 'settled' },
  refused: { called: 'refused', 'proof of a transfer': 'settled', adopted: 'settled' },
  'refused, forgotten': forgotten,
};

const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];

describe('every event has the outcome of the table in the state', () => {
  it.each(keysOf(STATES))('P7 %s', (name) => {
    for (const event of keysOf(EVENTS)) {
      const { verdict, before, after } = apply(STATES[name], EVENTS[event], NOW);
      const expected = CHANGES[name][event];
      const isChanged = verdict === 'done';
      const outcome = { name, event, isChanged, progress: after.record?.progress ?? 'unknown' };
      const progress = expected ?? before.record?.progress ?? 'unknown';
      expect(outcome).toEqual({ name, event, isChanged: expected !== undefined, progress });
      if (!isChanged) expect(after).toBe(before);
    }
  });
});

it('a payment for a call that may have an effect asks for it once, others up to three times', () => {
  const { verdict, after } = apply(STATES.reserved, release('owner', true), NOW);
  expect([verdict, after.record]).toEqual(['done', undefined]);
  expect(apply(after, reserve({ ...payment, mayHaveEffect: true }), NOW).verdict).toBe('called');
  expect(apply(after, reserve(payment), NOW).verdict).toBe('done');
  const unused = apply(STATES.reserved, release('owner', false), NOW).after;
  expect(apply(unused, reserve({ ...payment, mayHaveEffect: true }), NOW).verdict).toBe('done');
});

type Act = (payments: Payments, payment: NewPayment) => Promise<unknown>;

const ANSWER = '{"n":1}';
const settlingBy =
  (by: string): Act =>
  (payments, { key }) =>
    payments.beginSettlement(key, by, { answer: ANSWER, signature: signatureOf({ key }) });
const foundOf = ({ key }: NewPayment): string => `found ${key}`;

/** The events of a stored payment. */
const ACTS: Readonly<Record<keyof typeof EVENTS, Act>> = {
  reserved: (payments, payment) => payments.reserve({ ...payment, owner: 'next' }),
  called: (payments, { key }) => payments.called(key),
  settling: settlingBy('owner'),
  'settling by another': settlingBy('another'),
  unresolved: (payments, { key }) => payments.resolve(key, { ...UNKNOWN, signature: 'told' }),
  'proof of a transfer': (payments, payment) => payments.resolve(payment.key, landed(payment)),
  'proof of none': (payments, { key }) => payments.resolve(key, REFUSED),
  "the owner's word": (payments, { key, owner }) => payments.resolve(key, REFUSED, owner),
  "another's word": (payments, { key }) => payments.resolve(key, REFUSED, 'another'),
  adopted: (payments, payment) => payments.adopt(payment, foundOf(payment)),
  released: (payments, { key, owner }) => payments.release(key, owner, true),
  'released by another': (payments, { key }) => payments.release(key, 'another', true),
  withdrawn: (payments, { key, owner }) => payments.resolve(key, UNSENT, owner),
};

/** The progress after the process has ended. */
const LATER: Readonly<Record<string, string>> = { reserved: 'unknown', settling: 'unresolved' };

ledgerSuite('a stored payment', (ledger) => {
  const end = async (payment: NewPayment, settlement: Settlement) => {
    await startSettling(ledger, payment, ANSWER);
    await ledger.payments.resolve(payment.key, settlement);
  };
  /** Takes a payment to each state that a running process can find it in. */
  const paths = {
    unknown: async () => undefined,
    reserved: (payment: NewPayment) => ledger.payments.reserve(payment),
    settling: (payment: NewPayment) => startSettling(ledger, payment, ANSWER),
    unresolved: (payment: NewPayment) => end(payment, UNKNOWN),
    owed: (payment: NewPayment) => end(payment, landed(payment)),
    refused: (payment: NewPayment) => end(payment, REFUSED),
  };

  it('P1 P6 P7 P22 changes by each event as the table says, and a new process finds it unchanged', async () => {
    const told: { key: string; progress: string }[] = [];
    for (const [row, name] of keysOf(paths).entries()) {
      const isAnswered = !['unknown', 'reserved', 'refused'].includes(name);
      for (const event of ledger.openOther ? everyThird(keysOf(ACTS), row) : keysOf(ACTS)) {
        const payment = newPayment({ owner: 'owner' });
        await paths[name](payment);
        const before = await ledger.payments.find(payment.key);
        await ACTS[event](ledger.payments, payment).catch(() => undefined);
        const after = await ledger.payments.find(payment.key);
        const change = CHANGES[name][event];
        const progress = change ?? before?.progress ?? 'unknown';
        expect({ name, event, progress: after?.progress ?? 'unknown' }).toEqual({ name, event, progress });
        if (!change) expect(after).toEqual(before);
        const signature = event === 'adopted' ? foundOf(payment) : signatureOf(payment);
        if (change === 'settled') expect(after?.signature).toBe(signature);
        const isKept = (isAnswered || event === 'settling') && /^(?:settl|unresolved)/.test(progress);
        const answer = await ledger.payments.answer(payment.key);
        expect({ name, event, answer }).toEqual({ name, event, answer: isKept ? ANSWER : undefined });
        told.push({ key: payment.key, progress });
      }
    }
    await ledger.reopen();
    const open = (await ledger.payments.openPayments()).map(({ key }) => key);
    for (const { key, progress } of told) {
      const later = LATER[progress] ?? progress;
      expect((await ledger.payments.find(key))?.progress ?? 'unknown').toBe(later);
      expect(open.includes(key)).toBe(later === 'unresolved');
    }
  });
});

describe('a refusal to reserve', () => {
  const reserved = (state: Partial<PayerState>) => apply({ ...STATES.unknown, ...state }, EVENTS.reserved, NOW).verdict;

  it.each<[string, Partial<PayerState>, string]>([
    ['an open payment for the same request', { due: [{ key: 'other' }] }, 'due'],
    ['an answer that is owed for it', { due: [{ key: 'other', untilMs: NOW + 1 }] }, 'due'],
    ['an answer that is no longer owed', { due: [{ key: 'other', untilMs: NOW }] }, 'done'],
    ['credit that has covered it, which prevents its settlement', { isCovered: true }, 'done'],
    ['one payment less than the limit', { inFlight: LIMITS.paymentsInFlight - 1 }, 'done'],
    ['as many payments in flight as the limit', { inFlight: LIMITS.paymentsInFlight }, 'payer_busy'],
    ['one call for it less than the limit', { calls: LIMITS.callsPerAnswer - 1 }, 'done'],
    ['as many calls for it as the limit', { calls: LIMITS.callsPerAnswer }, 'exhausted'],
    ['one unpaid call less than the limit', { recentCalls: LIMITS.unchargedCalls - 1 }, 'done'],
    ['as many unpaid calls as the limit', { recentCalls: LIMITS.unchargedCalls }, 'payer_busy'],
  ])('P14 depends on the payer: %s', (_, state, verdict) => {
    expect(reserved(state)).toBe(verdict);
  });

  it('concerns a call that credit has paid for, if the call may have an effect', () => {
    const transition = reserve({ ...payment, mayHaveEffect: true });
    expect(apply({ ...STATES.unknown, isCovered: true }, transition, NOW).verdict).toBe('taken');
  });

  const [PRICE, LIMIT] = [5, 100];
  it.each<[string, number, Partial<PayerState>, string]>([
    ['less than the limit', 99, {}, 'done'],
    ['as much as the limit', 100, {}, 'done'],
    ['more than the limit', 101, {}, 'over_limit'],
    ['more than the limit beside the balance', 97, { balanceMicros: 4 }, 'over_limit'],
    ['credit while the balance pays for the call', 50, { balanceMicros: PRICE }, 'covered'],
    ['credit while another payment brings some', 50, { purchaseKey: 'other' }, 'under_way'],
    ['no credit while another payment brings some', 0, { purchaseKey: 'other', balanceMicros: PRICE }, 'done'],
  ])('depends on the credit that the payment brings: %s', (_, creditMicros, state, verdict) => {
    const credit = { limitMicros: LIMIT, priceMicros: PRICE };
    const transition = reserve({ ...payment, creditMicros }, credit);
    expect(apply({ ...STATES.unknown, ...state }, transition, NOW).verdict).toBe(verdict);
  });
});

describe('an upstream call', () => {
  const callsOf = ({ record, calls }: PayerState) => (record ? record.calls : calls);
  const callsAfter = (state: PayerState, transition: Transition) => callsOf(apply(state, transition, NOW).after);

  it('is counted with the reservation, once more for each further call, and not if it was not made', () => {
    const { after: reserved } = apply(STATES.unknown, EVENTS.reserved, NOW);
    expect(callsOf(reserved)).toBe(1);
    expect(callsAfter(reserved, EVENTS.called)).toBe(2);
    expect(callsAfter(reserved, release('next', true))).toBe(1);
    expect(callsAfter(reserved, release('next', false))).toBe(0);
    expect(callsAfter(STATES.owed, EVENTS.called)).toBe(2);
  });

  it('is counted although its process has died or its payment was withdrawn', () => {
    expect(callsAfter(STATES['reserved, lapsed'], EVENTS.reserved)).toBe(2);
    expect(callsAfter(STATES.settling, EVENTS.withdrawn)).toBe(1);
  });
});

describe('a settlement', () => {
  it('P18 keeps its calls, adds to the payments of the payer, and owes the answer', () => {
    const called = apply(STATES.settling, EVENTS.called, NOW).after;
    const { after } = apply(called, EVENTS['proof of a transfer'], NOW);
    expect(after.paid).toEqual([{ atMs: NOW, micros: 5 }]);
    expect(after.record).toMatchObject({ owed: true, resolvedAtMs: NOW, forgetAtMs: NOW + TIMES.recordMs, calls: 2 });
  });

  it('on devnet makes no known payer', () => {
    const state = stateOf({ ...payment, network: NETWORKS.devnet, ...held, progress: 'settling' });
    expect(apply(state, EVENTS['proof of a transfer'], NOW).after.paid).toEqual([]);
  });

  it('does not begin while the payer has another open or owed payment for the same request', () => {
    const due = [{ key: 'other' }];
    const { verdict, after } = apply({ ...STATES.reserved, due }, EVENTS.settling, NOW);
    expect([verdict, after.record]).toEqual(['due', STATES.reserved.record]);
  });

  it('has the time that its purchase names, so that an outage does not change the receipt', () => {
    const sent = apply(STATES.reserved, beginSettlement('owner', { settlingSinceMs: NOW - 5 }), NOW).after;
    expect(sent.record).toMatchObject({ progress: 'settling', settlingSinceMs: NOW - 5 });
  });

  it('P6 with an unknown outcome and no signature keeps the signature that was recorded', () => {
    const sent = apply(STATES.reserved, beginSettlement('owner', { signature: 'sent' }), NOW).after;
    expect(apply(sent, resolve(UNKNOWN), NOW).after.record?.signature).toBe('sent');
  });

  it('is known for as long if the payment was refused before, and has no reason of a refusal', () => {
    const { record } = apply(STATES.refused, EVENTS['proof of a transfer'], NOW).after;
    expect(record?.reason).toBeUndefined();
    const kept = { signature: SETTLED.signature, forgetAtMs: NOW + TIMES.recordMs };
    expect(record).toMatchObject({ ...kept, hasFailedOnChain: false });
  });
});

describe('a refused settlement', () => {
  it.each([
    ['has cost its fee is remembered while the fee counts, and its payer counts as new', true, 1, true],
    ['has failed at the cost of another fee payer', true, 0, false],
    ['was never on the chain', false, 1, false],
  ])('that %s', (_, isOnChain, feeLamports, hasCostFee) => {
    const paid = [{ atMs: NOW - 1, micros: 5 }];
    const state = { ...stateOf({ ...payment, ...held, feeLamports, progress: 'settling' }), paid };
    const { after } = apply(state, resolve(isOnChain ? REFUSED : { outcome: 'refused', reason: 'expired' }), NOW);
    const forgetAtMs = NOW + (hasCostFee ? TIMES.feeMs : TIMES.rememberedMs);
    expect(after.record).toMatchObject({ progress: 'refused', owed: false, hasFailedOnChain: isOnChain, forgetAtMs });
    expect(after.paid).toEqual(hasCostFee ? [] : paid);
  });
});

describe('the end of the search for an outcome', () => {
  it('is noted once, with its time, and a later proof still counts', () => {
    const { after } = apply(STATES.unresolved, endSearch, NOW);
    expect(after).toEqual({ ...STATES.unresolved, record: { ...STATES.unresolved.record, searchEndedMs: NOW } });
    expect(apply(after, endSearch, NOW + 1).verdict).toBe('ignored');
    expect(apply(after, EVENTS['proof of a transfer'], NOW).after.record?.progress).toBe('settled');
  });

  it.each(keysOf(STATES))('comes only for an unknown outcome: %s', (name) => {
    const isUnknown = name === 'unresolved' || name === 'settling, lapsed';
    expect(apply(STATES[name], endSearch, NOW).verdict).toBe(isUnknown ? 'done' : 'ignored');
  });
});
