import fs, { statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DAY_MS } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LedgerFile } from '../../packages/cli/src/money/ledger-file.ts';
import { Account, appendedText, type LedgerLine, linesIn } from '../../packages/cli/src/money/ledger-lines.ts';
import { makeFolder } from '../kit/folder.ts';

const LIMIT = 100;
const held = (id: string, at: number, micros: number, perDayMicros: number | null = LIMIT): LedgerLine => ({
  id,
  step: 'held',
  at,
  micros,
  perDayMicros,
  inAllMicros: null,
});
const closing = (id: string, step: LedgerLine['step'], at = 0): LedgerLine => ({ id, step, at });

/** The ids of the amounts that count. */
function counted(entries: readonly LedgerLine[]): string[] {
  const account = new Account();
  return entries.filter((entry) => account.apply(entry) && entry.step === 'held').map(({ id }) => id);
}

const TRACE = { network: 'solana:x', account: 'y', memo: 'z', slot: 7, lastValidBlockHeight: 157 };

const full = held('a', 0, 100);
const next = held('b', 1, 1);
/** An amount, one dated in the future, and one that then just fits. */
const dated = (future: number, fitting: number) => [
  ...[held('a', 0, 60), held('b', 3 * DAY_MS, future), held('c', 1, fitting), held('d', 2, 1)],
];
const released = closing('a', 'released');

it.each<[string, LedgerLine[], string[]]>([
  ['if the earlier entries leave room', [held('a', 0, 60), held('b', 0, 60), held('c', 0, 40), next], ['a', 'c']],
  ['until it is released', [full, released, next], ['a', 'b']],
  ['once it is signed', [full, closing('a', 'signed'), next], ['a']],
  ['once it is paid', [full, closing('a', 'paid'), next], ['a']],
  ['once its payment is refused', [full, closing('a', 'refused'), next], ['a']],
  ['for 24 hours', [full, held('b', DAY_MS - 1, 1), held('c', DAY_MS, 100)], ['a', 'c']],
  ['once, however often it is released', [full, released, released, held('b', 0, 100), held('c', 0, 1)], ['a', 'b']],
  ['against a limit in all too', [full, { ...held('b', 2 * DAY_MS, 1), inAllMicros: 100 }], ['a']],
  ['W20 today if another is dated in the future', dated(60, 40), ['a', 'b']],
  ['W20 with one of the future, as far as there is room', dated(1, 39), ['a', 'b', 'c']],
])('an amount counts %s', (_, entries, ids) => {
  expect(counted(entries)).toEqual(ids);
});

describe('W21 the lines of a ledger', () => {
  const [whole, next] = [held('a', 0, 1), held('b', 0, 2)].map((entry) => JSON.stringify(entry));
  const idsIn = (text: string): string[] => [...linesIn(text)].map(({ id }) => id);

  it.each(['{', '{"id":', '{"id":"b","step":"held","at":0'])('are read up to a last, cut line: %s', (torn) => {
    expect(idsIn(`\n${whole}\n\n${torn}`)).toEqual(['a']);
  });

  it('are read past a cut line, which the next write marks', () => {
    const torn = `\n${whole}\n\n{"id":"torn","st`;
    const text = torn + appendedText(torn, held('b', 0, 2));
    expect(idsIn(text)).toEqual(['a', 'b']);
    const tornAgain = `${text}\n{"id":"torn`;
    expect(idsIn(tornAgain + appendedText(tornAgain, held('c', 0, 3)))).toEqual(['a', 'b', 'c']);
  });

  it('X22 are read up to one with the trace of a payment, wherever a crash cut it off', () => {
    const signed = JSON.stringify({ ...closing('a', 'signed'), request: 'hash', ...TRACE });
    const account = new Account();
    for (const entry of linesIn(`${whole}\n${signed}\n`)) account.apply(entry);
    expect(account.spent).toEqual([expect.objectContaining({ id: 'a', step: 'signed', trace: TRACE })]);
    for (let length = 0; length < signed.length; length++)
      expect(idsIn(`${whole}\n${signed.slice(0, length)}`)).toEqual(['a']);
  });

  it('are read if another process finishes its write before the mark', () => {
    const other = `\n${whole}\n`;
    const seen = other.slice(0, 20);
    expect(idsIn(other + appendedText(seen, held('b', 0, 2)))).toEqual(['a', 'b']);
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
    const { ino, size } = statSync(join(folder, 'spending.jsonl'));
    expect(synced.get(ino)).toBe(size);
  };
  const ledger = new LedgerFile(folder);
  const id = await ledger.hold(5, { perDayMicros: LIMIT, inAllMicros: LIMIT });
  const request = { url: 'https://gateway.example/', method: 'GET' } as const;
  await ledger.signed(id, { micros: 5, request, headers: {}, trace: TRACE });
  expectOnDisk();
  await ledger.closed(id, 'paid');
  expectOnDisk();
});

it('no 24 hours hold more than the limit, for any holds and releases', () => {
  const after = fc.integer({ min: -DAY_MS, max: DAY_MS / 3 });
  const amount = fc.record({ after, micros: fc.integer({ min: 1, max: 60 }) });
  const step = fc.oneof(amount, fc.record({ released: fc.nat({ max: 40 }) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const account = new Account();
      let at = 100 * DAY_MS;
      steps.forEach((each, index) => {
        if ('released' in each) account.apply(closing(String(each.released), 'released', at));
        else {
          at += each.after;
          account.apply(held(String(index), at, each.micros));
        }
        const inWindow = account.spent.filter((spent) => spent.at > at - DAY_MS);
        const sum = inWindow.reduce((all, { micros }) => all + micros, 0);
        expect(sum).toBeLessThanOrEqual(LIMIT);
        expect(account.dayBefore(at)).toBe(sum);
      });
    }),
  );
});
