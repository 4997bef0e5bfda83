import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { candleChart, sparkline } from '../../packages/cli/src/show/chart.ts';
import { fitted, padded, widthOf } from '../../packages/cli/src/show/table.ts';
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

it('a chart can show a single price', () => {
  const candle = { open: 1, high: 1, low: 1, close: 1 };
  expect(candleChart([candle], { columns: 20, colours: pc.createColors(false) }).join('')).toContain('╻');
  expect(sparkline([1, 1, 1], 10)).toBe('▄▄▄');
  expect(sparkline([1, 2, 3], 2)).toBe('▁█');
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
