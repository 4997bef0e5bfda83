import { type Figures, groupOf, type Wanted } from './figures.ts';
import type { Growth } from './history.ts';

/** The figures that rules read. */
interface Snapshot {
  readonly now: Figures;
  /** The figures of the previous scrape. */
  readonly before: Figures | undefined;
  readonly over: (minutes: number) => Growth | undefined;
}

/** A rule that finds a problem. */
interface Rule {
  /** Its name in deploy/prometheus/alerts.yaml. */
  readonly alert: string;
  /** The span of the rule, if it reads counters. */
  readonly minutes?: number;
  readonly bound: number;
  /** Finds the subjects of the alert; an empty name if there is only one. */
  readonly find: (snapshot: Snapshot, rule: Rule) => readonly string[];
}

type Find = Rule['find'];

const SUBJECT = ['provider', 'cluster', 'surface', 'place'];
/** A rate over a few seconds means little. */
const LEAST_SECONDS = 60;

const only = (is: boolean): readonly string[] => (is ? [''] : []);

/** A gauge is above the bound. */
const above =
  (name: string): Find =>
  ({ now }, { bound }) =>
    now.of(name).flatMap((sample) => (sample.value > bound ? [groupOf(sample, SUBJECT)] : []));

/** A gauge is above the bound in two scrapes: a single peak does not count. */
const aboveTwice =
  (name: string): Find =>
  ({ now, before }, { bound }) =>
    only([now, before].every((figures) => (figures?.sum(name) ?? 0) > bound));

/** A gauge is below the bound. */
const below =
  (name: string, wanted?: Wanted): Find =>
  ({ now }, { bound }) =>
    now.of(name, wanted).flatMap((sample) => (sample.value < bound ? [groupOf(sample, SUBJECT)] : []));

/** Requests per second with this code are above the bound. */
const rateAbove =
  (code: string | RegExp): Find =>
  ({ over }, { minutes = 0, bound }) => {
    const { figures, seconds } = over(minutes) ?? {};
    return only((figures?.sum('requests_total', { code }) ?? 0) > bound * Math.max(seconds ?? 0, LEAST_SECONDS));
  };

/** Requests to a route with this code are above the bound. */
const countAbove =
  (code: string): Find =>
  ({ over }, { minutes = 0, bound }) =>
    [...(over(minutes)?.figures.by('requests_total', ['route'], { code }) ?? [])].flatMap(([route, count]) =>
      count > bound ? [route] : [],
    );

/** The share of `those` among `these` requests to a route is above the bound. */
const shareAbove =
  (those: Wanted, these: Wanted): Find =>
  ({ over }, { minutes = 0, bound }) => {
    const figures = over(minutes)?.figures;
    const all = figures?.by('requests_total', ['route'], these);
    return [...(figures?.by('requests_total', ['route'], those) ?? [])].flatMap(([route, count]) =>
      count > bound * (all?.get(route) ?? 0) ? [route] : [],
    );
  };

/** The growth of the counters meets a condition. */
const growthWhere =
  (fits: (growth: Growth, bound: number, now: Figures) => boolean): Find =>
  ({ now, over }, { minutes = 0, bound }) => {
    const growth = over(minutes);
    return only(growth !== undefined && fits(growth, bound, now));
  };

/** One of several keys is set aside, or was refused again on a retry. */
const keySetAside: Find = ({ now, over }, { minutes = 0, bound }) => {
  const refused = over(minutes)?.figures.by('key_refusals_total', SUBJECT);
  return now.of('key_set_aside').flatMap((sample) => {
    const { provider = '', cluster = '', surface = '' } = sample.labels;
    const hasOthers = now.of('key_set_aside', { provider, cluster, surface }).length > 1;
    const subject = groupOf(sample, SUBJECT);
    return sample.value > bound || (hasOthers && (refused?.get(subject) ?? 0) > bound) ? [subject] : [];
  });
};

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
interface Concern extends Pick<Rule, 'alert'> {
  readonly subjects: readonly string[];
}

/** The alerts that are active now. */
export const concernsOf = (snapshot: Snapshot): readonly Concern[] =>
  RULES.map((rule) => ({ alert: rule.alert, subjects: rule.find(snapshot, rule) })).filter(
    ({ subjects }) => subjects.length > 0,
  );
