import { afterEach, describe, expect, it, vi } from 'vitest';
import { Figures, sampleOf } from '../../packages/gateway/src/metrics/figures.ts';
import { History } from '../../packages/gateway/src/metrics/history.ts';
import { Metrics } from '../../packages/gateway/src/metrics/metrics.ts';
import { Recorder } from '../../packages/gateway/src/metrics/recorder.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { HEALTH } from '../upstream/caller.ts';
import { scrape } from './scrape.ts';

const MINUTE_MS = 60_000;
const TOKEN = 'a-token-of-the-operator';

/** The part of the answer to `/history` that these tests read. */
interface Answer {
  readonly at: number;
  readonly startedAt: number;
  readonly columns: readonly string[];
  readonly firstMinute: number;
  readonly firstAt: number;
  readonly rows: readonly (readonly (number | null)[])[];
  readonly alerts: readonly { readonly alert: string; readonly subjects: readonly string[]; readonly since: number }[];
  readonly totals: { readonly requests: readonly (readonly [string, number, number])[] };
}

const requests = (count: number, status = 200): Figures =>
  new Figures([
    sampleOf({ labels: { route: 'a', status, code: 'none' }, value: count }, 'asset_gateway_requests_total', 'counter'),
  ]);

/** The number of successful requests in each row. */
const succeeded = (history: History, after = -1) => history.rows(after, false).rows.map(([first]) => first);

describe('the rows of a history', () => {
  it('hold the growth of each minute', () => {
    const history = new History(0, () => 0);
    [3, 3, 10].forEach((count, index) => void history.add(requests(count), (index + 1) * MINUTE_MS));
    history.add(requests(12), 3.5 * MINUTE_MS);
    expect(succeeded(history)).toEqual([3, 0, 7]);
    expect(history.rows(0, false)).toMatchObject({ firstMinute: 1, firstAgeMs: 1.5 * MINUTE_MS });
    expect(succeeded(history, 1)).toEqual([7]);
    expect(succeeded(history, 2)).toEqual([]);
  });

  it('are unknown for minutes in which the process stood still', () => {
    const history = new History(0, () => 0);
    history.add(requests(1), MINUTE_MS);
    history.add(requests(5), 4 * MINUTE_MS);
    expect(succeeded(history)).toEqual([1, Number.NaN, Number.NaN, 4]);
  });

  it('are those of the last 24 hours', () => {
    const history = new History(0, () => 0);
    const figures = requests(1);
    for (let minute = 1; minute <= 3_000; minute++) history.add(figures, minute * MINUTE_MS);
    const { firstMinute, rows } = history.rows(-1, true);
    expect([firstMinute, rows.length]).toEqual([3_000 - 1_440, 1_440]);
    history.add(figures, 9_000 * MINUTE_MS);
    expect(history.rows(-1, true).rows).toHaveLength(1_440);
  });
});

describe('a quantile', () => {
  const figures = (counts: readonly number[]) =>
    new Figures(
      counts.map((value, place) =>
        sampleOf({ labels: { le: ['1', '2', '+Inf'][place] }, value }, 't_bucket', 'histogram'),
      ),
    );
  it('lies within its bucket as far as its rank does', () => {
    expect([0.25, 0.5].map((part) => figures([10, 20, 21]).quantile(part, 't'))).toEqual([0.525, 1.05]);
  });
  it('is the last bound if it lies beyond, and undefined without values', () => {
    expect(figures([10, 20, 21]).quantile(0.99, 't')).toBe(2);
    expect(figures([0, 0, 0]).quantile(0.5, 't')).toBeUndefined();
    expect(new Figures([]).quantile(0.5, 't')).toBeUndefined();
  });
});

describe('a recorder', () => {
  afterEach(() => void vi.useRealTimers());

  function start() {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
    const metrics = new Metrics([]);
    const recorder = new Recorder(metrics, '1.0.0');
    const ask = async (after = -1) =>
      JSON.parse(await recorder.answer(new URLSearchParams({ after: String(after) }), true)) as Answer;
    return { metrics, recorder, ask };
  }

  it('makes one row a minute while the clock is turned back and forth', async () => {
    const { recorder, ask } = start();
    for (const turnMs of [0, -3_600_000, 7_200_000]) {
      vi.setSystemTime(Date.now() + turnMs);
      await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    }
    const { at, startedAt, firstMinute, firstAt, rows } = await ask();
    expect([firstMinute, rows.length]).toEqual([0, 6]);
    expect([at - startedAt, at - firstAt]).toEqual([6 * MINUTE_MS, 5 * MINUTE_MS]);
    expect((await ask(4)).rows).toHaveLength(1);
    expect((await ask(5)).rows).toHaveLength(0);
    recorder.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('outlives a reading that fails, and the next reading covers its time', async () => {
    const { metrics, recorder, ask } = start();
    const unhandled: unknown[] = [];
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', (error) => void unhandled.push(error));
    const failing = vi.spyOn(metrics, 'figures').mockRejectedValue(new Error('a reading has failed'));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(failing.mock.calls.length).toBeGreaterThan(1);
    failing.mockRestore();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    // Node reports a rejection after the microtasks of its turn.
    await new Promise(setImmediate);
    const { rows } = await ask();
    expect([unhandled, rows.length]).toEqual([[], 2]);
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
    recorder.close();
  });
});

describe('/history', async () => {
  const gateway = await startTestGateway({ METRICS_PORT: '0', METRICS_TOKEN: TOKEN });
  const ask = (headers: HeadersInit = {}) => fetch(new URL('/history', gateway.gateway.metricsUrl), { headers });
  const read = async (): Promise<Answer> => (await ask()).json() as Promise<Answer>;

  it('has the totals of /metrics', async () => {
    for (let count = 0; count < 3; count++) await fetch(`${gateway.url}/nothing`);
    const { totals } = await read();
    const scraped = (await scrape(gateway.gateway)).sum('asset_gateway_requests_total', { code: 'not_found' });
    expect(totals.requests.find(([group]) => group === '404 not_found')?.[1]).toBe(scraped);
  });

  it('shows an injected fault as an alert, and since when', async () => {
    expect((await read()).alerts).toEqual([]);
    gateway.upstream.faults.status = 401;
    const beforeMs = Date.now();
    expect((await askSigned(`${gateway.url}${HEALTH}`)).status).toBe(502);
    gateway.upstream.faults.reset();
    const { alerts, at } = await read();
    const refused = alerts.find(({ alert }) => alert === 'UpstreamRefusesOurKey');
    expect(refused?.subjects).toEqual(['tokens.health']);
    expect(refused?.since).toBeGreaterThanOrEqual(beforeMs - 1);
    expect(refused?.since).toBeLessThanOrEqual(at + 1);
    const again = (await read()).alerts.find(({ alert }) => alert === 'UpstreamRefusesOurKey');
    expect(Math.abs((again?.since ?? 0) - (refused?.since ?? 0))).toBeLessThan(5);
  });

  it('has amounts only with the token, and refuses a wrong one', async () => {
    const columnsOf = async (response: Response) => ((await response.json()) as Answer).columns;
    expect(await columnsOf(await ask())).not.toContain('settled');
    const allowed = await ask({ Authorization: `Bearer ${TOKEN}` });
    expect(await columnsOf(allowed)).toEqual(expect.arrayContaining(['settled', 'spent']));
    const wrong = await ask({ Authorization: 'Bearer not-it' });
    expect([wrong.status, await wrong.text()]).toEqual([401, '']);
  });
});
