import { describe, expect, it } from 'vitest';
import { RULES } from '../../packages/gateway/src/metrics/alerts.ts';
import { Figures, sampleOf } from '../../packages/gateway/src/metrics/figures.ts';
import { History } from '../../packages/gateway/src/metrics/history.ts';
import { alerts } from '../deploy/monitoring.ts';

/** Alerts that the metrics of one node cannot show. */
const NOT_OF_ONE = ['NoNodeReady', 'DiskFilling'];

type Samples = Readonly<Record<string, number>>;

const isCounter = (series: string): boolean => /_(?:total|bucket)(?:\{|$)/.test(series);

const LAG = 'nodejs_eventloop_lag_p99_seconds';
const MINUTE_MS = 60_000;

const figuresOf = (samples: Samples): Figures =>
  new Figures(
    Object.entries(samples).map(([series, value]) => {
      const [name = '', labels = ''] = series.split(/[{}]/);
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]);
      return sampleOf({ labels: Object.fromEntries(pairs), value }, name, isCounter(series) ? 'counter' : 'gauge');
    }),
  );

/** A history after these samples, each at the end of a minute; counters start at 0. */
function historyOf(...minutes: readonly Samples[]): History {
  let delay = 0;
  const history = new History(0, () => delay);
  minutes.forEach(({ [LAG]: lag = 0, ...samples }, index) => {
    delay = lag;
    history.add(figuresOf(samples), (index + 1) * MINUTE_MS);
  });
  return history;
}

const found = (...minutes: readonly Samples[]) =>
  historyOf(...minutes).alerts.map(({ alert, subjects }) => [alert, subjects]);

const requests = (code: string, count: number, status = 200): Samples => ({
  [`asset_gateway_requests_total{route="a",status="${status}",code="${code}"}`]: count,
});
const CHANNEL = 'provider="tokens",cluster="",surface="tokens"';
const key = (place: number, aside: number, refused: number): Samples => ({
  [`asset_gateway_key_set_aside{${CHANNEL},place="${place}"}`]: aside,
  [`asset_gateway_key_refusals_total{${CHANNEL},place="${place}"}`]: refused,
});
const signIns = (accepted: number, nonce: number): Samples => ({
  'asset_gateway_sign_ins_total{result="accepted"}': accepted,
  'asset_gateway_sign_ins_total{result="invalid_siwx_nonce"}': nonce,
});
const cache = (forgone: number, answers: number): Samples => ({
  asset_gateway_cache_forgone_total: forgone,
  'asset_gateway_cache_answers_total{route="a",result="hit"}': answers,
});
const margin = (settled: number, lamports: number, cluster = 'mainnet'): Samples => ({
  [`asset_gateway_journal_usd_micros_total{kind="settlement",cluster="${cluster}"}`]: settled,
  [`asset_gateway_fee_lamports_total{cluster="${cluster}"}`]: lamports,
  asset_gateway_sol_price_usd: 150,
});
const commits = (fast: number, slow: number): Samples => ({
  'asset_gateway_database_commit_seconds_bucket{le="0.25"}': fast,
  'asset_gateway_database_commit_seconds_bucket{le="0.5"}': fast + slow,
  'asset_gateway_database_commit_seconds_bucket{le="+Inf"}': fast + slow,
});
const failures = (count: number): Samples => ({ 'asset_gateway_background_failures_total{task="retention"}': count });
/** A gauge at its threshold, and beyond it. */
const gauge = (name: string, silent: number, wrong: number) =>
  [{ [`asset_gateway_${name}`]: silent }, { [`asset_gateway_${name}`]: wrong }] as const;

/** For each rule: samples at its threshold, samples beyond it, and the subject it names. */
const CASES: Readonly<Record<string, readonly [silent: Samples, wrong: Samples, subject?: string]>> = {
  NodeNotReady: gauge('ready', 1, 0),
  StateStoreUnavailable: [requests('state_unavailable', 1), requests('state_unavailable', 2)],
  DatabaseUnreachable: gauge('database_up', 1, 0),
  ClockJumped: gauge('clock_jump_seconds', 0, 86_400),
  CommitsSlow: [commits(99, 1), commits(98, 2)],
  BudgetExhausted: [
    { ...requests('none', 80), ...requests('rate_limited', 20, 429) },
    { ...requests('none', 79), ...requests('rate_limited', 21, 429) },
    'a',
  ],
  SignInFailuresSurge: [signIns(62, 61), signIns(60, 61)],
  UpstreamFailing: [
    { ...requests('none', 90), ...requests('upstream_error', 10, 502) },
    { ...requests('none', 89), ...requests('upstream_error', 11, 502) },
    'a',
  ],
  UpstreamLeftAlone: [...gauge(`breaker_open{${CHANNEL}}`, 0, 1), 'tokens'],
  UpstreamRefusesOurKey: [requests('upstream_auth_failed', 0), requests('upstream_auth_failed', 1), 'a'],
  UpstreamKeySetAside: [{ ...key(1, 0, 5) }, { ...key(1, 0, 0), ...key(2, 1, 5) }, 'tokens 2'],
  CacheForgoesDemand: [cache(30, 70), cache(31, 69)],
  UpstreamAsksForPause: [requests('upstream_rate_limited', 3), requests('upstream_rate_limited', 4), 'a'],
  SettlementsUnresolved: gauge('settlement_open_seconds', 300, 301),
  SettlementUnknownForLong: gauge('settlement_open_seconds', 600, 601),
  MarginBelowZero: [margin(1_500, 10_000), margin(1_499, 10_000)],
  PaymentsUnavailable: [requests('facilitator_unavailable', 1), requests('facilitator_invalid_response', 2)],
  FeePayerBalanceLow: [...gauge('fee_payer_lamports{cluster="mainnet"}', 100_000_000, 99_999_999), 'mainnet'],
  SalesClosed: [...gauge('sales_open{cluster="devnet"}', 1, 0), 'devnet'],
  EventLoopDelayed: [{ [LAG]: 0.2 }, { [LAG]: 0.21 }],
  Overloaded: [requests('overloaded', 6), requests('overloaded', 7)],
  LogLost: gauge('log_lost', 0, 1),
  BackgroundWorkFails: [failures(0), failures(1), 'retention'],
  OwnFault: [requests('internal_error', 0), requests('internal_error', 1), 'a'],
};

const alertsOf = (samples: Samples) => found(samples).map(([alert]) => alert);

describe('the alerts of Operate', () => {
  it('are those of deploy/prometheus/alerts.yaml that one node can show', () => {
    const ofOne = alerts.map(({ alert }) => alert).filter((alert) => !NOT_OF_ONE.includes(alert));
    expect(RULES.map(({ alert }) => alert)).toEqual(ofOne);
    expect(Object.keys(CASES)).toEqual(ofOne);
  });

  it.each(RULES.map((rule) => [rule.alert, rule] as const))('%s has the span and bound of its alert', (_, rule) => {
    const { expr = '', for: patience = '' } = alerts.find(({ alert }) => alert === rule.alert) ?? {};
    const spans = [...expr.matchAll(/\[(\d+)(m|h)\]/g)].map(
      ([, count, unit]) => Number(count) * (unit === 'h' ? 60 : 1),
    );
    expect([...new Set(spans)]).toEqual(rule.minutes === undefined ? [] : [rule.minutes]);
    // `== 0` is the same as `< 1`; `a < b` is the same as `a - b < 0`.
    const numbers = [...expr.matchAll(/([<>]|==) ([\d.]+)/g)].map(
      ([, sign, number]) => Number(number) + Number(sign === '=='),
    );
    // This gauge holds the duration itself, so the rule's bound is the alert's `for`.
    const meant = rule.alert === 'SettlementsUnresolved' ? [Number.parseInt(patience, 10) * 60] : numbers;
    expect(meant.length > 0 ? meant : [0]).toContain(rule.bound ?? 0);
  });

  it.each(Object.entries(CASES))('%s is active above its threshold only', (alert, [silent, wrong, subject = '']) => {
    expect(alertsOf(silent)).not.toContain(alert);
    const concern = found(wrong).find(([each]) => each === alert);
    expect(concern).toEqual([alert, [subject]]);
  });

  it('are inactive without samples', () => {
    expect(found({})).toEqual([]);
  });

  it('are inactive again when their span is over', () => {
    const fault = requests('internal_error', 5);
    expect(found(fault, fault, fault)).toEqual([['OwnFault', ['a']]]);
    expect(found(fault, fault, fault, fault, fault, fault, fault)).toEqual([]);
  });

  it('keep the time at which they became active until they end', () => {
    const [well, wrong] = gauge('ready', 1, 0);
    const since = (...minutes: readonly Samples[]) => historyOf(...minutes).alerts.map(({ sinceMs }) => sinceMs);
    expect(since(well, wrong, wrong, wrong)).toEqual([2 * MINUTE_MS]);
    expect(since(wrong, well)).toEqual([]);
    expect(since(wrong, well, wrong)).toEqual([3 * MINUTE_MS]);
  });

  it('ignore devnet money, and fees without a SOL price', () => {
    expect(alertsOf(margin(0, 10_000, 'devnet'))).toEqual([]);
    const { asset_gateway_sol_price_usd: _, ...unpriced } = margin(0, 10_000);
    expect(alertsOf(unpriced)).toEqual([]);
    expect(alertsOf({ 'asset_gateway_fee_payer_lamports{cluster="devnet"}': 1 })).toEqual([]);
  });

  it('name a key that is refused again if there are several keys, and never an only key', () => {
    const refusedAgain = { ...key(1, 0, 1), ...key(2, 0, 0) };
    expect(found(refusedAgain)).toEqual([['UpstreamKeySetAside', ['tokens 1']]]);
    expect(found(key(1, 0, 1))).toEqual([]);
  });
});

it('each alert has the severity and the texts of alerts.yaml, without backquotes', () => {
  const ours = RULES.map(({ alert, severity, means, advice }) => [alert, severity, means, advice]);
  const written = alerts
    .filter(({ alert }) => !NOT_OF_ONE.includes(alert))
    .map(({ alert, labels: { severity }, annotations: { description, action } }) =>
      [alert, severity, description, action].map((text) => text.replaceAll('`', '')),
    );
  expect(ours).toEqual(written);
});
