import { describe, expect, it } from 'vitest';
import { type Budget, type Share, shareOf } from '../../packages/gateway/src/budget/store.ts';
import { openLocalStore } from '../kit/local-store.ts';
import { isFull } from '../kit/rounds.ts';
import { ROOM } from '../stores/contract.ts';

const budget: Budget = { key: 'b', limit: 30, windowMs: 60_000, inFlightMs: 10_000, lateMs: 5_000 };
const [TICK_MS, CALL_MS, MINUTE_MS] = [1_000, 400, 60_000];
const MINUTES = isFull ? 60 : 20;

/** A client that asks at an interval. */
interface Asker {
  readonly share: Share;
  readonly everyMs: number;
  /** Whether it asks once more after the Retry-After of a refusal. */
  readonly comesAgain?: boolean;
}

/** A sequence that is the same each time (Numerical Recipes' generator). */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Of the requests of that time, how many of the guest's were served, and how many slots were taken by all. */
async function outcomeOf(guest: Asker, floods: readonly Share[]) {
  let now = 1_790_000_000_000;
  const { store, close } = await openLocalStore(() => now);
  const random = sequence(floods.length + 1);
  const running: { readonly owner: string; readonly endsMs: number }[] = [];
  let [serial, served, asked, slots] = [0, 0, 0, 0];
  const take = async (share: Share) => {
    const owner = `owner ${serial++}`;
    const { kind, retryAfterMs = 0 } = await store.admit({ budget, owner, inFlightLimit: ROOM, share });
    if (kind === 'admitted') slots += running.push({ owner, endsMs: now + CALL_MS }) && 1;
    return { isServed: kind === 'admitted', againMs: now + Math.max(1_000, Math.ceil(retryAfterMs / 1_000) * 1_000) };
  };
  const startMs = now;
  let [nextMs, againMs] = [now + guest.everyMs * random(), Number.POSITIVE_INFINITY];
  for (; now < startMs + MINUTES * MINUTE_MS; now += TICK_MS) {
    while (running[0] && running[0].endsMs <= now) store.complete(budget, running.shift()?.owner ?? '');
    const first = Math.floor(random() * floods.length);
    for (const share of [...floods.slice(first), ...floods.slice(0, first)]) await take(share);
    if (now >= againMs) {
      againMs = Number.POSITIVE_INFINITY;
      if ((await take(guest.share)).isServed) served++;
    }
    if (now < nextMs) continue;
    asked++;
    const told = await take(guest.share);
    if (told.isServed) served++;
    else if (guest.comesAgain) againMs = told.againMs;
    nextMs += guest.everyMs;
  }
  await close();
  return { part: served / asked, perMinute: slots / MINUTES };
}

const flood = (count: number) =>
  Array.from({ length: count }, (_, index) => shareOf(`10.0.${index}.1`, `F${index}`, false));
const GUEST = shareOf('192.0.2.1', 'G', false);
const [EVERY_MINUTE, EVERY_10_S] = [MINUTE_MS, 10_000];

describe(`over ${MINUTES} minutes of 30 slots each`, { timeout: 180_000 }, () => {
  it('a group that floods alone takes 24 a minute', async () => {
    const { perMinute } = await outcomeOf({ share: GUEST, everyMs: MINUTES * MINUTE_MS }, flood(1));
    expect(perMinute).toBeGreaterThan(23);
    expect(perMinute).toBeLessThanOrEqual(24.5);
  });

  it('beside a flooding group a wallet is always served once a minute, and nine times of ten every 10 seconds', async () => {
    expect((await outcomeOf({ share: GUEST, everyMs: EVERY_MINUTE }, flood(1))).part).toBe(1);
    expect((await outcomeOf({ share: GUEST, everyMs: EVERY_10_S }, flood(1))).part).toBeGreaterThanOrEqual(0.9);
  });

  it('beside ten flooding groups a wallet gets an even share', async () => {
    expect((await outcomeOf({ share: GUEST, everyMs: EVERY_MINUTE }, flood(10))).part).toBe(1);
    expect((await outcomeOf({ share: GUEST, everyMs: 40_000 }, flood(10))).part).toBeGreaterThanOrEqual(0.9);
    expect((await outcomeOf({ share: GUEST, everyMs: 31_000 }, flood(10))).part).toBeGreaterThanOrEqual(0.9);
  });

  it('a client that asks just before its first slot frees is refused every third time, and mostly served after Retry-After', async () => {
    const guest = { share: GUEST, everyMs: 30_000 };
    expect((await outcomeOf(guest, flood(10))).part).toBeLessThan(0.7);
    expect((await outcomeOf({ ...guest, comesAgain: true }, flood(10))).part).toBeGreaterThanOrEqual(0.85);
  });

  it('a wallet that has paid is served nine times of ten beside fifty', async () => {
    const payer = shareOf('10.0.0.1', 'G', true);
    const { part, perMinute } = await outcomeOf({ share: payer, everyMs: EVERY_MINUTE }, flood(50));
    expect(part).toBeGreaterThanOrEqual(0.9);
    expect(perMinute).toBeGreaterThan(27);
    // Each of these takes seconds of processor time.
    if (!isFull) return;
    expect((await outcomeOf({ share: payer, everyMs: EVERY_10_S }, flood(50))).part).toBeGreaterThanOrEqual(0.9);
    expect((await outcomeOf({ share: GUEST, everyMs: EVERY_MINUTE }, flood(50))).part).toBeLessThan(0.5);
  });
});
