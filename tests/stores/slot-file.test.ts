import {
  closeSync,
  type NoParamCallback,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SlotFile, slotsIn } from '../../packages/gateway/src/budget/slot-file.ts';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import { SlotDamage } from '../../packages/gateway/src/stores/damage.ts';
import { FreeSpace } from '../../packages/gateway/src/stores/free-space.ts';
import { makeFolder } from '../kit/folder.ts';

const LINE_BYTES = 256;
const HOLD_MS = 70_000;
const budget: Budget = { key: 'tokens:0123456789abcdef', limit: 30, windowMs: 60_000, inFlightMs: 10_000 };
const startMs = Date.parse('2026-11-23T12:00:00Z');

let folder: string;
let path: string;
let nowMs: number;
/** How long the machine has been running. */
let upMs: number;
beforeEach(() => {
  folder = makeFolder();
  path = slotsIn(folder);
  nowMs = startMs;
  upMs = 5_000_000.25;
});

function elapse(milliseconds: number): void {
  nowMs += milliseconds;
  upMs += milliseconds;
}
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const open = (flush?: (descriptor: number, callback: NoParamCallback) => void) =>
  new SlotFile(folder, { now: () => nowMs, monotonic: () => upMs }, new FreeSpace(folder), flush);

/** How long each slot is held by a gateway that starts now. */
function waits(): Record<string, number> {
  const slots = open();
  slots.close();
  const held = [...slots.held.values()].flat();
  return Object.fromEntries(held.map(({ owner, freesAtMs }) => [owner, freesAtMs - nowMs]));
}

/** Keeps slots that are taken now, in a file that is closed again. */
function keepNow(...owners: string[]): void {
  const slots = open();
  for (const owner of owners) slots.keep(budget, { owner, freesAtMs: nowMs + HOLD_MS });
  slots.close();
}

describe('a file of slots', () => {
  it('has as many lines as slots were held at once, however many calls there were, and each that is held', () => {
    const slots = open();
    for (let second = 0; second < 2_000; second += 2) {
      slots.keep(budget, { owner: `owner ${second}`, freesAtMs: nowMs + HOLD_MS });
      elapse(2_000);
    }
    slots.close();
    expect(statSync(path).size).toBe((HOLD_MS / 2_000) * LINE_BYTES);
    const held = Array.from({ length: HOLD_MS / 2_000 - 1 }, (_, index) => `owner ${1_998 - 2 * index}`);
    expect(Object.keys(waits()).sort()).toEqual(held.sort());
  });

  it('does not grow where calls last differently long, or the gateway is killed again and again', () => {
    const running: { readonly owner: string; readonly endsAtMs: number }[] = [];
    const freesAt = new Map<string, number>();
    let most = 0;
    let slots = open();
    const keep = (owner: string, holdMs: number) => {
      slots.keep(budget, { owner, freesAtMs: nowMs + holdMs });
      freesAt.set(owner, nowMs + holdMs);
    };
    for (let call = 0; call < 5_000; call++) {
      // Each lasts up to ten seconds, in an order that is always the same.
      const lastsMs = ((call * 7_919) % 100) * 100;
      keep(`owner ${call}`, HOLD_MS);
      running.push({ owner: `owner ${call}`, endsAtMs: nowMs + lastsMs });
      for (const each of running.filter(({ endsAtMs }) => endsAtMs <= nowMs)) {
        running.splice(running.indexOf(each), 1);
        keep(each.owner, 60_000);
      }
      most = Math.max(most, [...freesAt.values()].filter((freesAtMs) => freesAtMs > nowMs).length);
      for (const [owner, freesAtMs] of freesAt) if (freesAtMs <= nowMs) freesAt.delete(owner);
      if (call % 25 === 24) {
        slots.close();
        slots = open();
      }
      elapse(2_000);
    }
    slots.close();
    expect(statSync(path).size).toBe(most * LINE_BYTES);
  });

  it('goes on with the lines of the process before it', () => {
    for (let start = 0; start < 20; start++) {
      keepNow(...['one', 'two', 'three'].map((owner) => `${owner} of start ${start}`));
      elapse(HOLD_MS);
    }
    expect(statSync(path).size).toBe(3 * LINE_BYTES);
  });

  it('keeps budgets apart', () => {
    const slots = open();
    const other = { ...budget, key: 'tokens:fedcba9876543210' };
    for (const each of [budget, other]) slots.keep(each, { owner: each.key, freesAtMs: nowMs + HOLD_MS });
    slots.close();
    const again = open();
    again.close();
    expect([...again.held].map(([key, held]) => [key, held.map(({ owner }) => owner)])).toEqual([
      [budget.key, [budget.key]],
      [other.key, [other.key]],
    ]);
  });

  it('has the end of a call in place of its beginning', () => {
    const slots = open();
    slots.keep(budget, { owner: 'one', freesAtMs: nowMs + HOLD_MS });
    slots.keepEnd(budget, { owner: 'one', freesAtMs: nowMs + 60_000 });
    slots.close();
    expect(statSync(path).size).toBe(LINE_BYTES);
    expect(waits().one).toBeLessThanOrEqual(60_000);
  });

  it.each([
    ['set forward', 3_600_000, 60_000],
    ['set back', -3_600_000, HOLD_MS],
  ])(
    'frees no slot early, and holds none for longer than it was to be, when the time of day is %s',
    (_, stepMs, leftMs) => {
      keepNow('one');
      elapse(10_000);
      nowMs += stepMs;
      expect(waits().one).toBe(leftMs);
    },
  );

  it('holds a slot after a reboot for as long as it was to be held, since no clock says how long that took, and does so once', () => {
    keepNow('one');
    elapse(HOLD_MS - 1_000);
    upMs = 10_000;
    expect(waits().one).toBe(HOLD_MS);
    elapse(HOLD_MS - 1_000);
    expect(waits().one).toBe(1_000);
    elapse(1_000);
    expect(waits()).toEqual({});
  });

  it('is nobody else’s', () => {
    keepNow('one');
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('is flushed a second after it was written, once for all that was written, and not again before that is over', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const flushes: (() => void)[] = [];
    const slots = open((_, callback) => {
      flushes.push(() => callback(null));
    });
    const keep = (owner: string) => slots.keep(budget, { owner, freesAtMs: nowMs + HOLD_MS });
    const flushesIn = (milliseconds: number) => vi.advanceTimersByTime(milliseconds) && flushes.length;
    keep('one');
    keep('two');
    expect([flushesIn(999), flushesIn(1)]).toEqual([0, 1]);
    keep('three');
    expect(flushesIn(10_000)).toBe(1);
    flushes[0]?.();
    expect([flushesIn(999), flushesIn(1)]).toEqual([1, 2]);
    flushes[1]?.();
    expect(flushesIn(10_000)).toBe(2);
    keep('four');
    slots.close();
    expect(flushesIn(10_000)).toBe(2);
  });

  it('is not written after it was closed, nor closed again, though another file has its number then', () => {
    const slots = open();
    slots.close();
    const other = `${folder}/other`;
    const descriptor = openSync(other, 'w');
    expect(() => slots.keep(budget, { owner: 'late', freesAtMs: nowMs + HOLD_MS })).toThrow();
    slots.keepEnd(budget, { owner: 'late', freesAtMs: nowMs + HOLD_MS });
    slots.close();
    closeSync(descriptor);
    expect([statSync(other).size, statSync(path).size]).toEqual([0, 0]);
  });
});

describe('a file of slots that is not as it was written', () => {
  beforeEach(() => keepNow('one', 'two', 'three'));

  const overwrite = (line: number, change: (text: string) => string): void => {
    const text = readFileSync(path, 'latin1');
    const at = line * LINE_BYTES;
    const changed = change(text.slice(at, at + LINE_BYTES));
    writeFileSync(path, text.slice(0, at) + changed + text.slice(at + LINE_BYTES), 'latin1');
  };

  it('has no slot in a line that a power cut has left empty, which is taken again', () => {
    overwrite(1, () => '\0'.repeat(LINE_BYTES));
    expect(Object.keys(waits())).toEqual(['one', 'three']);
    elapse(HOLD_MS);
    keepNow('four', 'five', 'six');
    expect(statSync(path).size).toBe(3 * LINE_BYTES);
  });

  it('has no slot in a line that a full disk has cut off, which is written anew', () => {
    truncateSync(path, 2 * LINE_BYTES + 100);
    expect(Object.keys(waits())).toEqual(['one', 'two']);
    keepNow('four');
    expect(Object.keys(waits())).toEqual(['one', 'two', 'four']);
  });

  it.each<[string, (line: string) => string]>([
    ['noise', () => '\u00ff'.repeat(LINE_BYTES)],
    ['another text', () => `{}${' '.repeat(LINE_BYTES - 3)}\n`],
    ['null', () => `null${' '.repeat(LINE_BYTES - 5)}\n`],
    ['a time that is none', (line) => line.replace(/"holdMs":\d+/, (found) => found.replace(/\d+/, '"1"'))],
  ])('is refused with %s in a line, by the number of that line', (_, change) => {
    overwrite(1, change);
    expect(open).toThrow(new SlotDamage('line 2 is no slot'));
  });
});
