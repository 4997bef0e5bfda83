import {
  above,
  aboveTwice,
  below,
  countAbove,
  growthWhere,
  keySetAside,
  type Rule,
  rateAbove,
  type Snapshot,
  shareAbove,
} from './rules.ts';

/** The alerts of deploy/prometheus/alerts.yaml that the metrics of one node can show, without their `for`. */
export const RULES: readonly Rule[] = [
  { alert: 'NodeNotReady', bound: 1, find: below('ready') },
  { alert: 'StateStoreUnavailable', minutes: 5, bound: 0.02, find: rateAbove('state_unavailable') },
  { alert: 'DatabaseUnreachable', bound: 1, find: below('database_up') },
  {
    alert: 'CommitsSlow',
    minutes: 5,
    bound: 0.25,
    find: growthWhere(({ figures }, bound) => (figures.quantile(0.99, 'database_commit_seconds') ?? 0) > bound),
  },
  {
    alert: 'BudgetExhausted',
    minutes: 10,
    bound: 0.2,
    find: shareAbove({ code: 'rate_limited' }, { status: /^(?:200|429)$/ }),
  },
  {
    alert: 'SignInFailuresSurge',
    minutes: 5,
    bound: 1,
    find: growthWhere(({ figures, seconds }, bound) => {
      const failed = figures.sum('sign_ins_total', { result: /^invalid_siwx_/ }) ?? 0;
      return failed > bound * seconds && failed > (figures.sum('sign_ins_total', { result: 'accepted' }) ?? 0);
    }),
  },
  {
    alert: 'UpstreamFailing',
    minutes: 5,
    bound: 0.1,
    find: shareAbove(
      { code: /^upstream_(?:error|unreachable|redirect|invalid_response|timeout)$/ },
      { code: /^(?:none$|upstream_)/ },
    ),
  },
  { alert: 'UpstreamLeftAlone', bound: 0, find: above('breaker_open') },
  { alert: 'UpstreamRefusesOurKey', minutes: 5, bound: 0, find: countAbove('upstream_auth_failed') },
  { alert: 'UpstreamKeySetAside', minutes: 5, bound: 0, find: keySetAside },
  {
    alert: 'CacheForgoesDemand',
    minutes: 30,
    bound: 0.3,
    find: growthWhere(({ figures }, bound) => {
      const forgone = figures.sum('cache_forgone_total') ?? 0;
      return forgone > bound * (forgone + (figures.sum('cache_answers_total') ?? 0));
    }),
  },
  { alert: 'UpstreamAsksForPause', minutes: 15, bound: 3, find: countAbove('upstream_rate_limited') },
  { alert: 'SettlementsUnresolved', bound: 300, find: above('settlement_open_seconds') },
  { alert: 'SettlementUnknownForLong', bound: 600, find: above('settlement_open_seconds') },
  {
    alert: 'MarginBelowZero',
    minutes: 60,
    bound: 0,
    find: growthWhere(({ figures }, bound, now) => {
      const fees = (figures.sum('fee_lamports_total', { cluster: 'mainnet' }) ?? 0) / 1_000;
      const sold = figures.sum('journal_usd_micros_total', { cluster: 'mainnet', kind: 'settlement' }) ?? 0;
      return sold - fees * (now.sum('sol_price_usd') ?? 0) < bound;
    }),
  },
  {
    alert: 'PaymentsUnavailable',
    minutes: 5,
    bound: 0.02,
    find: rateAbove(/^facilitator_(?:unavailable|invalid_response)$/),
  },
  { alert: 'FeePayerBalanceLow', bound: 100_000_000, find: below('fee_payer_lamports', { cluster: 'mainnet' }) },
  { alert: 'SalesClosed', bound: 1, find: below('sales_open') },
  { alert: 'EventLoopDelayed', bound: 0.2, find: aboveTwice('nodejs_eventloop_lag_p99_seconds') },
  { alert: 'Overloaded', minutes: 5, bound: 0.1, find: rateAbove('overloaded') },
  { alert: 'LogLost', bound: 0, find: above('log_lost') },
  { alert: 'OwnFault', minutes: 5, bound: 0, find: countAbove('internal_error') },
];

/** An active alert, and what it is about: routes, upstreams or keys. */
export interface Concern extends Pick<Rule, 'alert'> {
  readonly subjects: readonly string[];
}

/** The alerts that are active now. */
export const concernsOf = (snapshot: Snapshot): readonly Concern[] =>
  RULES.map((rule) => ({ alert: rule.alert, subjects: rule.find(snapshot, rule) })).filter(
    ({ subjects }) => subjects.length > 0,
  );
