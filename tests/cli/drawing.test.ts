import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { candleChart, price, sparkline } from '../../packages/cli/src/show/chart.ts';
import { fitted, padded, table, widthOf } from '../../packages/cli/src/show/table.ts';
import { risk } from '../../packages/cli/src/show/views.ts';

describe('the width of a text in columns', () => {
  it.each([
    ['gold', 4],
    ['黄金', 4],
    ['한국', 4],
    ['e\u0301', 1],
    ['👨‍👩‍👧', 2],
    ['🇨🇭', 2],
    ['', 0],
  ])('%s: %i', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('also when it is cut and padded', () => {
    expect(fitted('黄金代币', 6)).toBe('黄金…');
    expect(padded(fitted('黄金代币', 6), 6)).toBe('黄金… ');
    expect(padded('金', 4, 'right')).toBe('  金');
  });
});

describe('a table', () => {
  const rows = [
    { name: '黄金 token', mint: '8DncaThF3fecCUc3x69NwcW5gcNMZXwEfvxzn1fFsjAr' },
    { name: 'Gold', mint: 'x' },
  ];
  const columns = [
    { title: 'NAME', cell: ({ name }: (typeof rows)[number]) => name },
    { title: 'MINT', cell: ({ mint }: (typeof rows)[number]) => mint, minWidth: 8 },
  ];

  it('cuts columns and omits those that do not fit', () => {
    expect(table(rows, 24, columns)).toEqual(['NAME        MINT', '黄金 token  8DncaThF3fe…', 'Gold        x']);
    expect(table(rows, 14, columns)).toEqual(['NAME', '黄金 token', 'Gold']);
  });
});

describe('a chart', () => {
  const shape = {
    height: 4,
    rising: (text: string) => text,
    falling: (text: string) => text.toLowerCase(),
    label: price,
  };
  const candle = (time: number, [open, high, low, close]: readonly [number, number, number, number]) => ({
    time,
    open,
    high,
    low,
    close,
  });

  it('merges neighbours if there are more candles than columns, and keeps extremes', () => {
    const candles = Array.from({ length: 100 }, (_, at) => candle(at, [1, at === 50 ? 9 : 1, 1, 1]));
    const lines = candleChart(candles, { ...shape, width: 16 });
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(16);
    expect(lines[0]).toMatch(/^\$9\.00 +[│╷]/);
  });

  it('can show a single price', () => {
    expect(candleChart([candle(0, [1, 1, 1, 1])], { ...shape, width: 20 }).join('')).toContain('╻');
    expect(sparkline([1, 1, 1], 10)).toBe('▄▄▄');
    expect(sparkline([1, 2, 3], 2)).toBe('▁█');
  });
});

it.each([
  ['safe', 'green'],
  ['warning', 'yellow'],
  ['risk', 'red'],
] as const)('a score of the tone %s is %s', (tone, colour) => {
  const colours = pc.createColors(true);
  const verdict = { score: 12, grade: 'C', label: 'Weak Metrics', tone } as Parameters<typeof risk>[0];
  expect(risk(verdict, { columns: 80, colours })).toEqual([`${colours[colour]('C  Weak Metrics')}  12 of 100`]);
});
