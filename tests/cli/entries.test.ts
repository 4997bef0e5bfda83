import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Account, DAY_MS, type Entry, entriesIn } from '../../packages/cli/src/money/entries.ts';

const LIMIT = 100;
const held = (id: string, at: number, micros: number, perDayMicros: number | null = LIMIT): Entry => ({
  id,
  step: 'held',
  at,
  micros,
  perDayMicros,
  inAllMicros: null,
});
const closing = (id: string, step: Entry['step'], at = 0): Entry => ({ id, step, at });

/** Which of these amounts count. */
function counted(entries: readonly Entry[]): string[] {
  const account = new Account();
  return entries.filter((entry) => account.take(entry) && entry.step === 'held').map(({ id }) => id);
}

describe('an amount counts', () => {
  it('where what stands before it leaves room, also for a smaller one after a larger one', () => {
    expect(counted([held('a', 0, 60), held('b', 0, 60), held('c', 0, 40), held('d', 0, 1)])).toEqual(['a', 'c']);
  });

  it('until it is released, and whatever became of its payment', () => {
    const full = held('a', 0, 100);
    const next = held('b', 1, 1);
    expect(counted([full, closing('a', 'released'), next])).toEqual(['a', 'b']);
    for (const step of ['signed', 'paid', 'refused'] as const) {
      expect(counted([full, closing('a', step), next])).toEqual(['a']);
    }
  });

  it('for 24 hours', () => {
    expect(counted([held('a', 0, 100), held('b', DAY_MS - 1, 1), held('c', DAY_MS, 100)])).toEqual(['a', 'c']);
  });

  it('once, however often it is released', () => {
    const twice = [closing('a', 'released'), closing('a', 'released'), closing('x', 'released')];
    expect(counted([held('a', 0, 100), ...twice, held('b', 0, 100), held('c', 0, 1)])).toEqual(['a', 'b']);
  });

  it('against a limit in all, too', () => {
    const entry = { ...held('b', 2 * DAY_MS, 1), inAllMicros: 100 };
    expect(counted([held('a', 0, 100), entry])).toEqual(['a']);
  });
});

it('a torn line says nothing, and spoils none beside it', () => {
  const [whole, next] = [held('a', 0, 1), held('b', 0, 2)].map((entry) => JSON.stringify(entry));
  const text = `\n${whole}\n\n{"id":"torn","st\n${next}\n\n{"id":`;
  expect([...entriesIn(text)].map(({ id }) => id)).toEqual(['a', 'b']);
});

it('no 24 hours ever hold more than the limit, whatever is set aside and released', () => {
  const amount = fc.record({ after: fc.integer({ min: 0, max: DAY_MS / 3 }), micros: fc.integer({ min: 1, max: 60 }) });
  const step = fc.oneof(amount, fc.record({ released: fc.nat({ max: 40 }) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const account = new Account();
      let at = 0;
      steps.forEach((each, index) => {
        if ('released' in each) account.take(closing(String(each.released), 'released', at));
        else {
          at += each.after;
          account.take(held(String(index), at, each.micros));
        }
        const inWindow = account.spent.filter((spent) => spent.at > at - DAY_MS);
        const sum = inWindow.reduce((all, { micros }) => all + micros, 0);
        expect(sum).toBeLessThanOrEqual(LIMIT);
        expect(account.dayBefore(at)).toBe(sum);
      });
    }),
  );
});
