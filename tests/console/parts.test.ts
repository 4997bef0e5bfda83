import { amountFigure, changeFigure, indentJson, momentText, priceFigure, withEscapes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { decodedHeader } from '../../packages/console/src/parts/text.ts';
import { AnswerCache, type CachedAnswer } from '../../packages/console/src/parts/use-call.ts';
import { lengthWords, merged, periodOf } from '../../packages/console/src/try/candles.ts';
import { standIn } from '../kit/stand-in.ts';

const indented = (json: string, limit: number) => indentJson(json, limit, withEscapes);

describe('indented JSON', () => {
  it('equals the text of JSON.stringify', () => {
    const value = { a: [1, [], {}, { b: 'x "y" {[,:]} \\', c: null }], d: { e: false }, f: [] };
    expect(indented(JSON.stringify(value), 10_000)).toEqual({ text: JSON.stringify(value, null, 2), isWhole: true });
    expect(indented(` ${JSON.stringify(value, null, '\t')}\n`, 10_000).text).toBe(JSON.stringify(value, null, 2));
  });

  it('keeps every digit', () => {
    expect(indented('{"slot":18446744073709551615,"x":1.10e-7}', 100).text).toBe(
      '{\n  "slot": 18446744073709551615,\n  "x": 1.10e-7\n}',
    );
  });

  it.each([
    ['a list', `[${'1,'.repeat(3_000_000)}1]`],
    ['a string', JSON.stringify('a'.repeat(5_000_000))],
    ['nothing but brackets', '['.repeat(5_000_000)],
  ])('stops early in 5 MB of %s', (_, json) => {
    const { text, isWhole } = indented(json, 1000);
    expect([isWhole, text.length >= 1000, text.length < 1200]).toEqual([false, true, true]);
  });

  it.each(['', '"a\\', ']]]', '{"a"', 'no JSON'])('terminates for %j', (json) => {
    expect(indented(json, 100).isWhole).toBe(true);
  });
});

describe('figures', () => {
  it.each([
    [150.4, '$150.40'],
    [0, '$0.00'],
    [-3, '-$3.00'],
    [0.0000214, '$0.0000214'],
    [12_345.678, '$12,345.68'],
    [1e308, '$1E308'],
    [5e-324, '$5E-324'],
    [null, '–'],
    ['7', '–'],
    [Number.POSITIVE_INFINITY, '–'],
  ])('a price of %j is %s', (value, text) => expect(priceFigure(value)).toBe(text));

  it('a rough amount is short at any size', () => {
    expect([1_234_567, 1e300, null].map(amountFigure)).toEqual(['$1.2M', '$1E300', '–']);
  });

  it.each([
    [3.456, '+3.46%'],
    [-0.5, '-0.50%'],
    [0, '0.00%'],
    [-0.0012, '0.00%'],
    [1e308, '+1E308%'],
    [null, '–'],
  ])('a change of %j is %s', (value, text) => expect(changeFigure(value)).toBe(text));

  it('a time is in UTC, and a dash if out of range', () => {
    expect([1_754_222_400, 1e300, null].map((time) => momentText(time))).toEqual(['2025-08-03 12:00', '–', '–']);
    expect(momentText(1_754_222_400, false)).toBe('2025-08-03');
  });
});

describe('a header', () => {
  it('with base64 JSON is decoded as UTF-8', () => {
    expect(decodedHeader(Buffer.from('{"a":"é"}').toString('base64'))).toBe('{"a":"é"}');
  });

  it.each(['application/json', 'eyes', 'ey{}', Buffer.from('{"a":').toString('base64'), ''])(
    'without it is left alone: %j',
    (value) => expect(decodedHeader(value)).toBeUndefined(),
  );
});

describe('the cache of answers', () => {
  const answer = (length: number) => standIn<CachedAnswer>({ full: { text: 'x'.repeat(length) }, steps: [] });

  it('keeps an answer for a minute', () => {
    const cache = new AnswerCache();
    const one = answer(1);
    cache.set('a', one, 1000);
    expect([cache.get('a', 60_999), cache.get('b', 60_999)]).toEqual([one, undefined]);
    expect(cache.get('a', 61_000)).toBeUndefined();
  });

  it('keeps the latest of many long answers', () => {
    const cache = new AnswerCache();
    for (const key of ['a', 'b', 'a', 'c', 'd']) cache.set(key, answer(5_000_000), 0);
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key, 1))).toEqual(['a', 'c', 'd']);
  });
});

describe('candles', () => {
  const HOUR = 3600;
  const start = 1_800_000_000 - (1_800_000_000 % (24 * HOUR));
  const hourly = Array.from({ length: 168 }, (_, at) => {
    const open = 100 + at;
    return { time: start + at * HOUR, open, high: open + 5, low: open - 5, close: open + 1, volume: 2 };
  });

  it('become fewer and longer, with the same prices and volumes', () => {
    const { candles, seconds } = merged(hourly, '1H', 54);
    expect([candles.length, seconds]).toEqual([42, 4 * HOUR]);
    expect(candles[1]).toEqual({ time: start + 4 * HOUR, open: 104, high: 112, low: 99, close: 108, volume: 8 });
    expect(candles.at(-1)?.close).toBe(hourly.at(-1)?.close);
  });

  it('stay as they are if they are few enough', () => {
    expect(merged(hourly, '1H', 168)).toEqual({ candles: hourly, seconds: HOUR });
    expect(merged([], '1W', 1)).toEqual({ candles: [], seconds: 7 * 24 * HOUR });
  });

  it('say the lowest, highest and last price of their period, and its change', () => {
    expect(periodOf({ drawn: hourly })).toEqual({ low: 95, high: 272, last: 268, changePercent: expect.closeTo(168) });
    expect(periodOf({ drawn: [] })).toBeUndefined();
  });

  it.each([
    [900, '15 minutes'],
    [HOUR, '1 hour'],
    [12 * HOUR, '12 hours'],
    [24 * HOUR, '1 day'],
    [14 * 24 * HOUR, '2 weeks'],
  ])('of %i s are %s long', (seconds, words) => {
    expect(lengthWords(seconds)).toBe(words);
  });
});
