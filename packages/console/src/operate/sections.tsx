import { feeOf, groupOf } from './figures.ts';
import { Bar, Counts, type Shown, Table } from './table.tsx';
import { count, dollars, span } from './trends.ts';

const CHANNEL = ['provider', 'cluster', 'surface'];
const UPSTREAM = 'upstream_duration_seconds';
const REQUEST = 'request_duration_seconds';

const upstreamOf = ({ provider = '', cluster = '', surface = '' }: Readonly<Record<string, string>>) => ({
  provider,
  cluster,
  surface,
});

/** Whether an upstream is called, paused or switched off. */
function statusOf({ now }: Shown, upstream: Readonly<Record<string, string>>): string {
  if (now.sum('breaker_open', upstream)) return 'circuit breaker open';
  const pause = now.sum('upstream_pause_seconds', upstream);
  if (pause) return `paused for ${span(pause)}`;
  const aside = now.of('key_set_aside', upstream).filter(({ value }) => value > 0);
  return aside.length > 0 ? `key ${aside.map(({ labels }) => labels.place).join(', ')} set aside` : 'in use';
}

/** The budget and the health of each upstream. */
export function Upstreams(shown: Shown) {
  const { now, recent } = shown;
  const rows = now.of('budget_limit').map(({ labels, value: limit }) => {
    const upstream = upstreamOf(labels);
    const left = now.sum('budget_left', upstream) ?? 0;
    return [
      groupOf({ labels }, CHANNEL),
      <Bar key="bar" fraction={left / limit} />,
      left,
      limit,
      statusOf(shown, upstream),
      span(recent?.figures.quantile(0.95, UPSTREAM, upstream)),
      span(now.quantile(0.95, UPSTREAM, upstream)),
      now.sum(`${UPSTREAM}_count`, upstream) ?? 0,
      now.sum('key_refusals_total', upstream) ?? 0,
    ];
  });
  const head = [
    'upstream',
    'budget',
    'left',
    'limit',
    'status',
    'p95 recent',
    'p95 since start',
    'calls',
    'keys refused',
  ];
  return <Table caption="Upstreams: budget and health" head={head} rows={rows} />;
}

const GROUPS = { address: 'unpaid clients, by address', paid: 'paying wallets', refresh: 'cache refreshes' };

/** Who uses the budget of the asset data. */
export function BudgetUse(shown: Shown) {
  return (
    <>
      <Counts caption="Slots by client group" name="slots_total" label="group" words={GROUPS} {...shown} />
      <Counts caption="Refused because a share was used up" name="share_refusals_total" label="scope" {...shown} />
    </>
  );
}

/** The response cache. */
export function Cache(shown: Shown) {
  const { now, recent } = shown;
  if (now.of('cache_bytes').length === 0)
    return (
      <p class="muted">
        Cache off. <code>RESPONSE_CACHE=on</code> serves many clients from one upstream call (docs/cache.md).
      </p>
    );
  const ages = [50, 95, 99].map((rank) => [
    `p${rank}`,
    span(recent?.figures.quantile(rank / 100, 'cache_age_seconds')),
    span(now.quantile(rank / 100, 'cache_age_seconds')),
  ]);
  return (
    <>
      <Counts caption="Answers by result" name="cache_answers_total" label="result" {...shown} />
      <Table caption="Age of answers" head={['percentile', 'recent', 'since start']} rows={ages} />
      <Counts caption="Upstream calls by reason" name="cache_calls_total" label="reason" {...shown} />
      <p class="small">
        Refreshes skipped for lack of budget: {count(now.sum('cache_forgone_total'))}. Memory:{' '}
        {count((now.sum('cache_bytes') ?? 0) / 2 ** 20)} MiB.
      </p>
    </>
  );
}

/** Requests by status and code, and response times. */
export function Requests(shown: Shown) {
  const { now, recent } = shown;
  const added = recent?.figures.by('requests_total', ['status', 'code']);
  const rows = [...now.by('requests_total', ['status', 'code'])]
    .sort(([, one], [, other]) => other - one)
    .map(([group, total]) => [
      group.replace(' none', ''),
      total,
      recent && ((added?.get(group) ?? 0) / recent.seconds) * 60,
    ]);
  const times = [...now.by(`${REQUEST}_count`, ['surface'])].map(([surface, total]) => [
    surface,
    total,
    span(recent?.figures.quantile(0.99, REQUEST, { surface })),
    span(now.quantile(0.99, REQUEST, { surface })),
  ]);
  const head = ['surface', 'requests', 'p99 recent', 'p99 since start'];
  return (
    <>
      <Table
        caption="Requests by status and code"
        head={['status and code', 'since start', 'per minute']}
        rows={rows}
      />
      <Table caption="Response time" head={head} rows={times} />
      <Counts {...shown} isShort caption="Sign-ins by result" name="sign_ins_total" label="result" />
    </>
  );
}

/** The fee payer's balance, and how long it lasts. */
export function FeePayer({ now, recent }: Shown) {
  const fee = feeOf(now);
  const rows = now.of('fee_payer_lamports').map(({ labels: { cluster = '' }, value }) => {
    const rate = recent && (recent.figures.sum('fee_lamports_total', { cluster }) ?? 0) / recent.seconds;
    return [
      cluster,
      value,
      Math.floor(value / fee),
      rate ? span(value / rate) : undefined,
      now.sum('sales_open', { cluster }) === 0 ? 'closed' : 'open',
    ];
  });
  const head = ['cluster', 'lamports', 'settlements left', 'lasts', 'sales'];
  return (
    <Table
      caption="Fee payer balance"
      head={head}
      rows={rows}
      empty="This node settles nothing, or the chain did not answer."
    />
  );
}

/** Payments with an unknown outcome, settlements, and the credit owed. */
export function Payments(shown: Shown) {
  const { now } = shown;
  const open = now.sum('settlements_open');
  const owed = now.of('credit_owed_usd_micros').map(({ labels, value }) => [labels.cluster, dollars(value)]);
  return (
    <>
      <p>
        Payments with an unknown outcome: <strong>{count(open)}</strong>
        {open ? `, the oldest open for ${span(now.sum('settlement_open_seconds'))}` : ''}.
      </p>
      <Counts caption="Settlements by outcome" name="settlements_total" label="state" {...shown} />
      <Table
        caption="Credit owed to wallets"
        head={['cluster', 'owed']}
        rows={owed}
        empty="This gateway sells no credit."
      />
    </>
  );
}

/** The blocklist and its refusals. */
export function Blocked(shown: Shown) {
  const rows = shown.now.of('blocked_entries').map(({ labels, value }) => [`${labels.kind}s`, value]);
  return (
    <>
      <Table caption="Blocklist" head={['kind', 'entries']} rows={rows} />
      <Counts
        caption="Refused as blocked"
        name="requests_total"
        label="route"
        wanted={{ code: 'blocked' }}
        {...shown}
      />
    </>
  );
}
