import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTask, sinceOf, UsageError } from '../../packages/gateway/src/sales/options.ts';
import {
  csvLine,
  csvTable,
  entryTable,
  groupTable,
  textTable,
  written,
  writtenOn,
} from '../../packages/gateway/src/sales/report.ts';
import { anyText } from '../kit/any-text.ts';
import { entryOf } from './kit.ts';

const DAY_MS = 86_400_000;
const GROUP = {
  ...{ cluster: 'mainnet', group: 'one', settlements: 1, refusals: 0, grants: 0, debits: 0 },
  ...{ settled_usd_micros: 1_234_567, granted_usd_micros: 0, spent_usd_micros: 0, fee_lamports: 10_001 },
};

describe('a table', () => {
  it('is aligned for a person, in dollars', () => {
    const table = groupTable('route', [GROUP], 150);
    const [names = '', row = ''] = written(table, 'table').split('\n');
    expect(names.split(/ +/)).toEqual([
      ...['cluster', 'route', 'settlements', 'refusals', 'grants', 'debits'],
      ...['settled_usd', 'granted_usd', 'spent_usd', 'fee_lamports', 'fee_usd', 'margin_usd'],
    ]);
    expect(row.split(/ +/)).toEqual([
      ...['mainnet', 'one', '1', '0', '0', '0', '1.234567', '0.000000', '0.000000', '10001', '0.001500', '1.233067'],
    ]);
  });

  it('contains no control characters of a terminal', () => {
    const hostile = '\u001b[2J\u009b1m\u202eevil\n\r\u2028';
    const text = textTable({ columns: ['name'], rows: [[hostile]] });
    expect(text.split('\n')).toHaveLength(3);
    expect(/[\p{Cc}\p{Cf}\p{Zl}]/u.test(text.replaceAll('\n', ''))).toBe(false);
  });

  it.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\uff1d1', `"'\uff1d1"`],
    ['a,b', '"a,b"'],
    ['say "yes"', '"say ""yes"""'],
    ['two\nlines', '"two\nlines"'],
    ['plain', 'plain'],
    ['', ''],
  ])('%j is no formula of a spreadsheet, and one cell', (text, cell) => {
    expect(csvLine([text, 'x'])).toBe(`${cell},x\r\n`);
  });

  it('leaves numbers as they are, below zero too', () => {
    expect(csvTable({ columns: ['one', 'other'], rows: [[-0.5, undefined]] })).toBe('one,other\r\n-0.5,\r\n');
  });

  it('reads back any text as it was written, with a quote before a formula', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyText(), fc.string({ unit: fc.constantFrom('"', ',', '\n', '=') })), { minLength: 1 }),
        (cells) => {
          expect(parseCsv(csvLine(cells))).toEqual(
            cells.map((cell) => (/^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell)),
          );
        },
      ),
    );
  });

  it('names each member of an entry; JSON has one entry per line', () => {
    const time = { at: '2026-11-20T00:00:00.000Z', atMs: Date.parse('2026-11-20T00:00:00Z') };
    const entry = { ...entryOf({ requestId: '=cmd()', isRepair: true }), id: 1, node: '00112233', ...time };
    const lines = writtenOn(entryTable([entry, entry]), 'json')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).request_id)).toEqual(['=cmd()', '=cmd()']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ time: '2026-11-20T00:00:00.000Z', repair: 'repair' });
    expect(writtenOn(entryTable([entry]), 'csv')).toContain(`"'=cmd()"`);
  });
});

/** The cells of one line of RFC 4180. */
const parseCsv = (line: string): string[] =>
  [...line.slice(0, -2).matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))/gsu)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  );

describe('the words of the command', () => {
  const NOW = Date.parse('2026-11-22T12:00:00Z');

  it.each([
    ['7d', NOW - 7 * DAY_MS],
    ['24h', NOW - DAY_MS],
    ['90m', NOW - 5_400_000],
    ['2026-11-01', Date.parse('2026-11-01T00:00:00Z')],
    ['2026-11-01T10:30Z', Date.parse('2026-11-01T10:30:00Z')],
    ['all', 0],
    ['', undefined],
    ['7', undefined],
    ['-7d', undefined],
    ['2026-13-01', undefined],
    ['999999d', undefined],
  ])('since %j: the time that it names, or none', (text, atMs) => expect(sinceOf(text, NOW)).toBe(atMs));

  it('default to a week by route', () => {
    const usual = { by: 'route', format: 'table', repair: false };
    expect(readTask([], NOW)).toEqual({ kind: 'group', sinceMs: NOW - 7 * DAY_MS, ...usual });
    expect(readTask(['--follow'], NOW)).toEqual({ kind: 'follow', sinceMs: NOW, ...usual });
    expect(readTask(['verify', '--repair', '--since', '1d'], NOW)).toMatchObject({ kind: 'verify', repair: true });
  });

  it.each([
    ['--by', 'colour'],
    ['--since', 'yesterday'],
    ['verfy'],
    ['verify', 'unresolved'],
    ['--csv', '--json'],
    ['unresolved', '--since', '7d'],
    ['verify', '--follow'],
    ['--repair'],
    ['--by'],
    ['--colour'],
  ])('that are not understood are refused: %s %s', (...words) => {
    expect(() => readTask(words, NOW)).toThrow(UsageError);
  });
});
