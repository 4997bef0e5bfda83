import fs, { statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Account, appended, DAY_MS, type Entry, entriesIn } from '../../packages/cli/src/money/entries.ts';
import { LedgerFile } from '../../packages/cli/src/money/ledger-file.ts';
import { makeFolder } from '../kit/folder.ts';

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

/** The ids of the amounts that count. */
function counted(entries: readonly Entry[]): string[] {
  const account = new Account();
  return entries.filter((entry) => account.take(entry) && entry.step === 'held').map(({ id }) => id);
}

describe('an amount counts', () => {
  it('if the earlier entries leave room, also a small one after a refused large one', () => {
    expect(counted([held('a', 0, 60), held('b', 0, 60), held('c', 0, 40), held('d', 0, 1)])).toEqual(['a', 'c']);
  });

  it('until it is released, whatever the outcome of its payment', () => {
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

  it('against a limit in all too', () => {
    const entry = { ...held('b', 2 * DAY_MS, 1), inAllMicros: 100 };
    expect(counted([held('a', 0, 100), entry])).toEqual(['a']);
  });
});

describe('W20 an amount dated in the future', () => {
  it('leaves today counted', () => {
    expect(counted([held('a', 0, 60), held('b', 3 * DAY_MS, 60), held('c', 1, 40), held('d', 2, 1)])).toEqual([
      'a',
      'b',
    ]);
    expect(counted([held('a', 0, 60), held('b', 3 * DAY_MS, 1), held('c', 1, 39), held('d', 2, 1)])).toEqual([
      'a',
      'b',
      'c',
    ]);
  });
});

describe('W21 the lines of a ledger', () => {
  const [whole, next] = [held('a', 0, 1), held('b', 0, 2)].map((entry) => JSON.stringify(entry));
  const idsIn = (text: string): string[] => [...entriesIn(text)].map(({ id }) => id);

  it.each(['{', '{"id":', '{"id":"b","step":"held","at":0,"mic'])(
    'are read up to a last line that a crash cut off: %s',
    (torn) => {
      expect(idsIn(`\n${whole}\n\n${torn}`)).toEqual(['a']);
    },
  );

  it('are read past a cut line, which the next write marks', () => {
    const torn = `\n${whole}\n\n{"id":"torn","st`;
    const text = torn + appended(torn, held('b', 0, 2));
    expect(idsIn(text)).toEqual(['a', 'b']);
    const tornAgain = `${text}\n{"id":"torn`;
    expect(idsIn(tornAgain + appended(tornAgain, held('c', 0, 3)))).toEqual(['a', 'b', 'c']);
  });

  it('are read if another process finishes its write before the mark', () => {
    const other = `\n${whole}\n`;
    const seen = other.slice(0, 20);
    expect(idsIn(other + appended(seen, held('b', 0, 2)))).toEqual(['a', 'b']);
  });

  it.each([
    ['CR line ends', `${whole}\r${next}\r`],
    ['UTF-16', Buffer.from(`\n${whole}\n`, 'utf16le').toString()],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${whole}\n`, 'utf16le').toString()],
    ['two joined lines', `${whole}${next}\n`],
    ['null', 'null\n'],
    ['a list', `[${whole}]\n`],
    ['a cut line without a mark', `{"id":"a","st\n${next}\n`],
    ['an unknown step', `${JSON.stringify({ ...held('a', 0, 1), step: 'gone' })}\n`],
    ['no id', `${JSON.stringify({ ...held('a', 0, 1), id: undefined })}\n`],
    ['a time that is a string', `${JSON.stringify({ ...held('a', 0, 1), at: '0' })}\n`],
    ['no amount', `${JSON.stringify({ ...held('a', 0, 1), micros: undefined })}\n`],
    ['a fractional amount', `${JSON.stringify(held('a', 0, 1.5))}\n`],
    ['a negative amount', `${JSON.stringify(held('a', 0, -1))}\n`],
    ['an amount that is a string', `${JSON.stringify(held('a', 0, '1' as never))}\n`],
    ['no limit', `${JSON.stringify({ ...held('a', 0, 1), perDayMicros: undefined })}\n`],
  ])('are refused with %s', (_, text) => {
    expect(() => idsIn(text)).toThrow(SyntaxError);
  });
});

it('a payment is on disk with its amount before it is sent, and its outcome once it is known', async () => {
  const folder = makeFolder();
  const file = join(folder, 'spending.jsonl');
  /** Bytes of each file, by inode, when it was last synced. */
  const synced = new Map<number, number>();
  const { fsyncSync } = fs;
  vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    fsyncSync(handle);
    const { ino, size } = fs.fstatSync(handle);
    synced.set(ino, size);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const expectOnDisk = () => {
    const { ino, size } = statSync(file);
    expect(synced.get(ino)).toBe(size);
  };
  const ledger = new LedgerFile(folder);
  const id = await ledger.hold(5, { perDayMicros: LIMIT, inAllMicros: LIMIT });
  const request = { url: 'https://gateway.example/', method: 'GET' } as const;
  await ledger.signed(id, { micros: 5, request, headers: {} });
  expectOnDisk();
  await ledger.closed(id, 'paid');
  expectOnDisk();
});

it('no 24 hours hold more than the limit, whatever is held and released', () => {
  const amount = fc.record({
    after: fc.integer({ min: -DAY_MS, max: DAY_MS / 3 }),
    micros: fc.integer({ min: 1, max: 60 }),
  });
  const step = fc.oneof(amount, fc.record({ released: fc.nat({ max: 40 }) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const account = new Account();
      let at = 100 * DAY_MS;
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
