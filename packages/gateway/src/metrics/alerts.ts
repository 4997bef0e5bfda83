import { ALERTS } from './alert-texts.ts';
import { type Figures, groupOf, KEY, type LabelFilter } from './figures.ts';

/** How much all counters have grown in a span of time. */
export interface Growth {
  readonly figures: Figures;
  readonly seconds: number;
}

/** The figures that conditions read. */
export interface Snapshot {
  readonly now: Figures;
  /** Returns the growth in the last minutes, or since the start if that is later. */
  readonly growthIn: (minutes: number) => Growth;
}

/** A condition's span, if it reads counters, and its threshold. */
interface Threshold {
  readonly minutes?: number;
  /** The threshold; default: 0. */
  readonly bound?: number;
}

/** Returns the subjects that meet a condition: routes, upstreams or keys. An alert that has no subjects returns one empty name. */
type Find = (snapshot: Snapshot, threshold: Threshold) => readonly string[];

interface Condition extends Threshold {
  readonly find: Find;
}

/**
 * An alert of deploy/prometheus/alerts.yaml that one node can evaluate from its own metrics. Its `for` does not apply.
 */
export interface Rule extends Condition {
  readonly alert: string;
  /** `page`: handle at once. `ticket`: handle in working hours. */
  readonly severity: 'page' | 'ticket';
  readonly means: string;
  readonly advice: string;
}

/** The shortest time over which a rate is computed. */
const LEAST_SECONDS = 60;

/** Returns the condition that a gauge is above the bound. */
const above =
  (name: string): Find =>
  ({ now }, { bound = 0 }) =>
    now.of(name).flatMap(({ value, labels }) => (value > bound ? [groupOf(labels, KEY)] : []));

/** Returns the condition that a gauge is below the bound. */
const below =
  (name: string, wanted?: LabelFilter): Find =>
  ({ now }, { bound = 0 }) =>
    now.of(name, wanted).flatMap(({ value, labels }) => (value < bound ? [groupOf(labels, KEY)] : []));

/** Returns the condition that the growth of these counters meets a test. */
const growthWhere =
  (fits: (growth: Growth, bound: number, now: Figures) => boolean): Find =>
  ({ now, growthIn }, { minutes = 0, bound = 0 }) =>
    fits(growthIn(minutes), bound, now) ? [''] : [];

/** Returns the condition that more requests per second than the bound have this code. */
const rateAbove = (code: string | RegExp): Find =>
  growthWhere(
    ({ figures, seconds }, bound) =>
      (figures.sum('requests_total', { code }) ?? 0) > bound * Math.max(seconds, LEAST_SECONDS),
  );

/** Returns the condition that a counter has grown by more than the bound, for a value of this label. */
const growsAbove =
  (name: string, label: string, wanted?: LabelFilter): Find =>
  ({ growthIn }, { minutes = 0, bound = 0 }) =>
    [...growthIn(minutes).figures.by(name, [label], wanted)].flatMap(([subject, count]) =>
      count > bound ? [subject] : [],
    );

/** Returns the condition that more requests to a route than the bound have this code. */
const countAbove = (code: string): Find => growsAbove('requests_total', 'route', { code });

/** Returns the condition that of `these` requests to a route, more than the bound's share are `those`. */
const shareAbove =
  (those: LabelFilter, these: LabelFilter): Find =>
  ({ growthIn }, { minutes = 0, bound = 0 }) => {
    const { figures } = growthIn(minutes);
    const all = figures.by('requests_total', ['route'], these);
    return [...figures.by('requests_total', ['route'], those)].flatMap(([route, count]) =>
      count > bound * (all.get(route) ?? 0) ? [route] : [],
    );
  };

/** The condition that one of several keys is set aside, or that the upstream rejected it again when it was tried. */
const keySetAside: Find = ({ now, growthIn }, { minutes = 0, bound = 0 }) => {
  const refused = growthIn(minutes).figures.by('key_refusals_total', KEY);
  return now.of('key_set_aside').flatMap(({ labels, value }) => {
    const { provider = '', cluster = '', surface = '' } = labels;
    const hasOthers = now.of('key_set_aside', { provider, cluster, surface }).length > 1;
    const subject = groupOf(labels, KEY);
    return value > bound || (hasOthers && (refused.get(subject) ?? 0) > bound) ? [subject] : [];
  });
};

/** The condition that fees exceeded sales in the last minutes. */
const lossOnMainnet: Find = growthWhere(({ figures }, bound, now) => {
  const fees = (figures.sum('fee_lamports_total', { cluster: 'mainnet' }) ?? 0) / 1_000;
  const sold = figures.sum('journal_usd_micros_total', { cluster: 'mainnet', kind: 'settlement' }) ?? 0;
  return sold - fees * (now.sum('sol_price_usd') ?? 0) < bound;
});

/** The condition that more sign-ins per second than the bound fail, and more than succeed. */
const signInsFail: Find = growthWhere(({ figures, seconds }, bound) => {
  const failed = figures.sum('sign_ins_total', { result: /^invalid_siwx_/ }) ?? 0;
  const accepted = figures.sum('sign_ins_total', { result: 'accepted' }) ?? 0;
  return failed > bound * Math.max(seconds, LEAST_SECONDS) && failed > accepted;
});

/** The condition that the cache refused more than this share of the requests to cached routes. */
const cacheForgoes: Find = growthWhere(({ figures }, bound) => {
  const forgone = figures.sum('cache_forgone_total') ?? 0;
  return forgone > bound * (forgone + (figures.sum('cache_answers_total') ?? 0));
});

/** The condition that one commit in a hundred takes longer than the bound. */
const commitsSlow: Find = growthWhere(
  ({ figures }, bound) => (figures.quantile(0.99, 'database_commit_seconds') ?? 0) > bound,
);

const UPSTREAM_FAILURE = /^upstream_(?:error|unreachable|redirect|invalid_response|timeout)$/;

/** The conditions of the alerts that one node can show. A test compares their spans and bounds with alerts.yaml. */
const CONDITIONS: Readonly<Partial<Record<keyof typeof ALERTS, Condition>>> = {
  NodeNotReady: { find: below('ready'), bound: 1 },
  StateStoreUnavailable: { find: rateAbove('state_unavailable'), minutes: 5, bound: 0.02 },
  DatabaseUnreachable: { find: below('database_up'), bound: 1 },
  ClockJumped: { find: above('clock_jump_seconds') },
  CommitsSlow: { find: commitsSlow, minutes: 5, bound: 0.25 },
  BudgetExhausted: { find: shareAbove({ code: 'rate_limited' }, { status: /^(?:200|429)$/ }), minutes: 10, bound: 0.2 },
  SignInFailuresSurge: { find: signInsFail, minutes: 5, bound: 1 },
  UpstreamFailing: {
    find: shareAbove({ code: UPSTREAM_FAILURE }, { code: /^(?:none$|upstream_)/ }),
    minutes: 5,
    bound: 0.1,
  },
  UpstreamLeftAlone: { find: above('breaker_open') },
  UpstreamRefusesOurKey: { find: countAbove('upstream_auth_failed'), minutes: 5 },
  UpstreamKeySetAside: { find: keySetAside, minutes: 5 },
  CacheForgoesDemand: { find: cacheForgoes, minutes: 30, bound: 0.3 },
  UpstreamAsksForPause: { find: countAbove('upstream_rate_limited'), minutes: 15, bound: 3 },
  SettlementsUnresolved: { find: above('settlement_open_seconds'), bound: 300 },
  SettlementUnknownForLong: { find: above('settlement_open_seconds'), bound: 600 },
  MarginBelowZero: { find: lossOnMainnet, minutes: 60 },
  PaymentsUnavailable: { find: rateAbove(/^facilitator_(?:unavailable|invalid_response)$/), minutes: 5, bound: 0.02 },
  FeePayerBalanceLow: { find: below('fee_payer_lamports', { cluster: 'mainnet' }), bound: 100000000 },
  SalesClosed: { find: below('sales_open'), bound: 1 },
  EventLoopDelayed: { find: above('nodejs_eventloop_lag_p99_seconds'), bound: 0.2 },
  Overloaded: { find: rateAbove('overloaded'), minutes: 5, bound: 0.1 },
  LogLost: { find: above('log_lost') },
  BackgroundWorkFails: { find: growsAbove('background_failures_total', 'task'), minutes: 5 },
  OwnFault: { find: countAbove('internal_error'), minutes: 5 },
};

const plain = (markdown: string): string => markdown.replaceAll('`', '');

/** The alerts that this node evaluates. Texts and severities come from alerts.yaml. */
export const RULES: readonly Rule[] = (Object.keys(ALERTS) as (keyof typeof ALERTS)[]).flatMap((alert) => {
  const { severity, means, advice } = ALERTS[alert];
  const condition = CONDITIONS[alert];
  return condition ? [{ alert, severity, means: plain(means), advice: plain(advice), ...condition }] : [];
});
