import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { suiteWith } from '../kit/optional.ts';
import { ALERTS_FILE, type Alert, alerts } from './monitoring.ts';

const STEP_SECONDS = 30;
/** Steps before the condition of an alert. */
const QUIET = 20;
/** How many steps longer than an alert waits its condition lasts. */
const MARGIN = 30;
/** At least the longest wait and the margin. */
const LONG = 120;

/** A gauge before and after the condition. */
const gauge = (before: number | '_', after: number): string => `${before}x${QUIET} ${after}x${LONG}`;
/** A counter that stands still, and rises by this much a step once the condition holds. */
const rising = (by: number): string => `0x${QUIET} 0+${by}x${LONG}`;
/** A counter that rises all the time. */
const steady = (by: number): string => `0+${by}x${QUIET + LONG}`;
const constant = (value: number): string => `${value}x${QUIET + LONG}`;

const requests = (code: string, status = 503): string =>
  `asset_gateway_requests_total{route="tokens.health",code="${code}",status="${status}"}`;
const SERVED = { [requests('none', 200)]: steady(5) };
const VOLUME = '{namespace="asset-gateway",persistentvolumeclaim="data-postgres-0"}';

/** The series that fulfil the condition of each alert, in the notation of promtool. */
const CONDITIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  NoNodeReady: { asset_gateway_ready: gauge(1, 0) },
  NodeNotReady: { asset_gateway_ready: gauge(1, 0) },
  StateStoreUnavailable: { [requests('state_unavailable')]: rising(5) },
  DatabaseUnreachable: { asset_gateway_database_up: gauge(1, 0) },
  CommitsSlow: {
    'asset_gateway_database_commit_seconds_bucket{le="0.25"}': `0+10x${QUIET} ${10 * QUIET}x${LONG}`,
    'asset_gateway_database_commit_seconds_bucket{le="0.5"}': steady(10),
    'asset_gateway_database_commit_seconds_bucket{le="+Inf"}': steady(10),
  },
  DiskFilling: {
    [`kubelet_volume_stats_available_bytes${VOLUME}`]: gauge(10e9, 2e9),
    [`kubelet_volume_stats_capacity_bytes${VOLUME}`]: constant(20e9),
  },
  BudgetExhausted: { [requests('rate_limited', 429)]: rising(5), ...SERVED },
  SignInFailuresSurge: {
    'asset_gateway_sign_ins_total{result="invalid_siwx_nonce"}': rising(60),
    'asset_gateway_sign_ins_total{result="accepted"}': steady(30),
  },
  UpstreamFailing: { [requests('upstream_error', 502)]: rising(5), ...SERVED },
  UpstreamLeftAlone: { 'asset_gateway_breaker_open{provider="tokens",cluster="",surface="tokens"}': gauge(0, 1) },
  UpstreamRefusesOurKey: { [requests('upstream_auth_failed', 502)]: gauge('_', 1) },
  UpstreamKeySetAside: { 'asset_gateway_key_set_aside{provider="tokens",place="2"}': gauge(0, 1) },
  CacheForgoesDemand: {
    asset_gateway_cache_forgone_total: rising(5),
    'asset_gateway_cache_answers_total{outcome="hit"}': steady(5),
  },
  UpstreamAsksForPause: { [requests('upstream_rate_limited')]: rising(5) },
  SettlementsUnresolved: { asset_gateway_settlements_open: gauge(0, 1) },
  SettlementUnknownForLong: { asset_gateway_settlement_open_seconds: gauge(0, 660) },
  MarginBelowZero: {
    'asset_gateway_journal_usd_micros_total{cluster="mainnet",kind="settlement"}': steady(1),
    'asset_gateway_fee_lamports_total{cluster="mainnet"}': rising(100_000),
    asset_gateway_sol_price_usd: constant(150),
  },
  PaymentsUnavailable: { [requests('facilitator_unavailable')]: rising(5) },
  FeePayerBalanceLow: { 'asset_gateway_fee_payer_lamports{cluster="mainnet"}': gauge(1e9, 5e7) },
  SalesClosed: { 'asset_gateway_sales_open{cluster="mainnet"}': gauge(1, 0) },
  EventLoopDelayed: { nodejs_eventloop_lag_p99_seconds: gauge(0.01, 0.4) },
  Overloaded: { [requests('overloaded')]: rising(10) },
  LogLost: { asset_gateway_log_lost: gauge(0, 1) },
  OwnFault: { [requests('internal_error', 500)]: gauge('_', 1) },
};

const timeOf = (steps: number): string => `${steps * STEP_SECONDS}s`;

/** `name{a="b"}` with the labels that Prometheus adds. */
function stored(series: string): string {
  const [name = '', labels = ''] = series.replace(/\}$/, '').split(/\{(.*)/s);
  return `${name}{${labels === '' ? '' : `${labels},`}job="asset-gateway",instance="a"}`;
}

const fired = (alert: string, steps: number): string =>
  `sum by (alertname) (count_over_time(ALERTS{alertname=~"${alert}",alertstate="firing"}[${timeOf(steps)}])) > bool 0`;

/** All alerts are silent before the condition, and this one fires after it. */
function testOf({ alert, for: wait = '0m' }: Alert): object {
  const steps = (Number.parseInt(wait, 10) * 60) / STEP_SECONDS + MARGIN;
  const series = { asset_gateway_ready: constant(1), ...CONDITIONS[alert] };
  return {
    name: alert,
    interval: timeOf(1),
    input_series: Object.entries(series).map(([name, values]) => ({ series: stored(name), values })),
    promql_expr_test: [
      { expr: fired('.*', QUIET), eval_time: timeOf(QUIET - 1), exp_samples: [] },
      {
        expr: fired(alert, steps),
        eval_time: timeOf(QUIET + steps),
        exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }],
      },
    ],
  };
}

it('each alert has a condition', () => {
  expect(Object.keys(CONDITIONS)).toEqual(alerts.map(({ alert }) => alert));
});

suiteWith('promtool', 'an alert, judged by Prometheus', (promtool) => {
  it.each(alerts.map((alert) => [alert.alert, alert] as const))(
    '%s is silent before its condition and fires after it',
    (_, alert) => {
      const folder = makeFolder();
      const file = join(folder, 'test.json');
      const rules = { rule_files: [resolve(ALERTS_FILE)], evaluation_interval: timeOf(1), tests: [testOf(alert)] };
      writeFileSync(file, JSON.stringify(rules));
      const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      expect(status === 0 ? '' : stdout + stderr).toBe('');
    },
  );
});
