import { describe, expect, it } from 'vitest';
import { readExposition } from '../../packages/console/src/operate/figures.ts';
import { History } from '../../packages/console/src/operate/history.ts';
import { Metrics } from '../../packages/gateway/src/metrics/metrics.ts';
import { Scrape } from '../operations/scrape.ts';

/** The metrics of a gateway with this many requests, started at this time. */
const textWith = (requests: Record<string, number>, startedAt = 1) =>
  [
    '# TYPE process_start_time_seconds gauge',
    `process_start_time_seconds ${startedAt}`,
    '# TYPE asset_gateway_requests_total counter',
    ...Object.entries(requests).map(([route, count]) => `asset_gateway_requests_total{route="${route}"} ${count}`),
  ].join('\n');

describe("Prometheus' text format", () => {
  it('is read like another parser reads it, for every sample of a gateway', async () => {
    const metrics = new Metrics();
    const line = { requestId: 'x', client: 'x', method: 'GET', path: '/', status: 200, ms: 12, upstreamMs: 5 };
    metrics.finished({ ...line, route: 'tokens.search', cache: 'hit', ageSeconds: 7, wallet: 'x' });
    const text = await metrics.text();
    metrics.close();
    const [figures, scrape] = [readExposition(text), new Scrape(text)];
    const unknown = text.split('\n').filter((line) => / nan$/i.test(line));
    expect(figures.samples).toHaveLength(scrape.size - unknown.length);
    for (const { name, labels, value } of figures.samples) {
      const written = [name, `asset_gateway_${name}`].find((each) => scrape.sum(each) !== undefined) ?? '';
      expect([name, labels, scrape.sum(written, labels)]).toEqual([name, labels, value]);
    }
    expect(figures.counters.has('request_duration_seconds_bucket')).toBe(true);
    expect(figures.counters.has('nodejs_eventloop_lag_p99_seconds')).toBe(false);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['escapes', 'a{b="\\\\n \\" \\n }, c=\\"d\\""} 1', { b: '\\n " \n }, c="d"' }, 1],
    ['names of members', 'a{__proto__="x",constructor="y"} 2', { ['__proto__']: 'x', constructor: 'y' }, 2],
    ['markup', 'a{b="<img src=x onerror=alert(1)>"} 3', { b: '<img src=x onerror=alert(1)>' }, 3],
    ['a time', 'a{} 4 1700000000000', {}, 4],
    ['no bound', 'a{le="+Inf"} +Inf', { le: '+Inf' }, Number.POSITIVE_INFINITY],
  ])('keeps %s', (_, line, labels, value) => {
    const [sample] = readExposition(line).samples;
    expect([Object.entries(sample?.labels ?? {}), sample?.value]).toEqual([Object.entries(labels), value]);
  });

  it.each([
    'a',
    'a{',
    'a{b',
    'a{b="',
    'a{b="c',
    'a{b="c"',
    'a{b="c\\',
    'a{b="c"}',
    'a x',
    'a NaN',
    ' 1',
    '{} 1',
    '<html>',
  ])('skips %j and continues', (line) => {
    expect(readExposition(`${line}\nb 2`).samples).toEqual([{ name: 'b', labels: {}, series: 'b', value: 2 }]);
  });

  it('reads megabytes of other text in linear time', () => {
    const unit = 'a{b="\\",';
    const read = (size: number) => {
      const texts = [unit.repeat(size), `a${'{'.repeat(size)}`, `a{${'b="",'.repeat(size)}`, '\n'.repeat(size)];
      const startedAt = process.cpuUsage().user;
      for (const text of texts) expect(readExposition(text).samples).toEqual([]);
      return process.cpuUsage().user - startedAt;
    };
    read(10_000);
    const [less, more] = [read(20_000), read(160_000)];
    expect(more).toBeLessThan(less * 32 + 100_000);
  });

  it('reads at most 20,000 lines', () => {
    expect(readExposition('a 1\n'.repeat(50_000)).samples).toHaveLength(20_000);
  });
});

describe('a quantile', () => {
  const text = ['1', '2', '+Inf'].map((le, place) => `t_bucket{le="${le}"} ${[10, 20, 21][place]}`).join('\n');
  it('lies within its bucket as far as its rank does', () => {
    const figures = readExposition(text);
    expect([0.25, 0.5].map((part) => figures.quantile(part, 't'))).toEqual([0.525, 1.05]);
  });
  it('is the last bound if it lies beyond, and undefined without values', () => {
    expect(readExposition(text).quantile(0.99, 't')).toBe(2);
    expect(readExposition('t_bucket{le="1"} 0').quantile(0.5, 't')).toBeUndefined();
    expect(readExposition('').quantile(0.5, 't')).toBeUndefined();
  });
});

describe('what counters have grown by', () => {
  const historyOf = (...texts: readonly [seconds: number, text: string][]) => {
    const history = new History();
    for (const [seconds, text] of texts) history.add(seconds * 1_000, readExposition(text));
    return history;
  };
  const grown = (history: History, minutes = 5) => {
    const growth = history.over(minutes);
    return growth && [growth.figures.sum('requests_total'), growth.seconds];
  };

  it('is unknown at the first scrape, then counts from there', () => {
    expect(grown(historyOf([0, textWith({ a: 100 })]))).toBeUndefined();
    expect(grown(historyOf([0, textWith({ a: 100 })], [10, textWith({ a: 107 })]))).toEqual([7, 10]);
  });

  it('counts a new series from 0', () => {
    expect(grown(historyOf([0, textWith({})], [5, textWith({ a: 2 })]))).toEqual([2, 5]);
  });

  it('is never negative: after a restart counters start at 0, and the earlier growth stays', () => {
    const first = [0, textWith({ a: 100, b: 5 })] as const;
    const later = [5, textWith({ a: 110, b: 5 })] as const;
    expect(grown(historyOf([...first], [...later], [10, textWith({ a: 3 }, 2)]))).toEqual([13, 10]);
    expect(grown(historyOf([...first], [...later], [10, textWith({ a: 200 }, 2)]))).toEqual([210, 10]);
    expect(grown(historyOf([...first], [10, textWith({ a: 3, b: 5 })]))).toEqual([3, 10]);
  });

  it('covers only the last minutes, and an hour of scrapes takes little memory', () => {
    const history = new History();
    for (let count = 0; count <= 1_440; count++) history.add(count * 5_000, readExposition(textWith({ a: count })));
    expect(grown(history, 5)).toEqual([60, 300]);
    expect(grown(history, 30)).toEqual([360, 1_800]);
    expect(grown(history, 60)).toEqual([720, 3_600]);
    expect(history.size).toBeLessThan(130);
  });

  it('is unknown for minutes without a scrape', () => {
    expect(grown(historyOf([0, textWith({ a: 1 })], [3_600, textWith({ a: 9 })]), 5)).toBeUndefined();
  });
});
