import { feeOf } from './fee.ts';
import { groupOf } from './figures.ts';
import { Bar, Counts, type Shown, Table } from './table.tsx';
import { count, dollars, percent, span } from './words.ts';

const CHANNEL = ['provider', 'cluster', 'surface'];
const UPSTREAM = 'upstream_duration_seconds';
const REQUEST = 'request_duration_seconds';

const upstreamOf = ({ provider = '', cluster = '', surface = '' }: Readonly<Record<string, string>>) => ({
  provider,
  cluster,
  surface,
});

/** How an upstream is treated, in words. */
function treatmentOf({ now }: Shown, upstream: Readonly<Record<string, string>>): string {
  if (now.sum('breaker_open', upstream)) return 'left alone';
  const pause = now.sum('upstream_pause_seconds', upstream);
  if (pause) return `paused for ${span(pause)}`;
  const aside = now.of('key_set_aside', upstream).filter(({ value }) => value > 0);
  return aside.length > 0 ? `without key ${aside.map(({ labels }) => labels.place).join(', ')}` : 'asked';
}

/** Each upstream's budget and health. */
export function Upstreams(shown: Shown) {
  const { now, lately } = shown;
  const rows = now.of('budget_limit').map(({ labels, value: limit }) => {
    const upstream = upstreamOf(labels);
    const left = now.sum('budget_left', upstream) ?? 0;
    return [
      groupOf({ labels }, CHANNEL),
      <Bar key="bar" part={left / limit} />,
      left,
      limit,
      treatmentOf(shown, upstream),
      span(lately?.figures.quantile(0.95, UPSTREAM, upstream)),
      span(now.quantile(0.95, UPSTREAM, upstream)),
      now.sum(`${UPSTREAM}_count`, upstream) ?? 0,
      now.sum('key_refusals_total', upstream) ?? 0,
    ];
  });
  const head = [
    'upstream',
    'free',
    'left',
    'of',
    'is',
    '95 % within, lately',
    'since the start',
    'calls',
    'key refused',
  ];
  return <Table caption="Upstreams: budget and health" head={head} rows={rows} />;
}

const GROUPS = { address: 'strangers, by address', paid: 'wallets that have paid', refresh: 'refreshing the cache' };

/** Who takes the budget of the asset data. */
export function Takers(shown: Shown) {
  return (
    <>
      <Counts caption="Slots by who takes them" name="slots_total" label="group" words={GROUPS} {...shown} />
      <Counts caption="Refused: a share was used up" name="share_refusals_total" label="scope" {...shown} />
    </>
  );
}

/** Answers that are kept. */
export function Cache(shown: Shown) {
  const { now, lately } = shown;
  if (now.of('cache_bytes').length === 0)
    return <p class="muted">No answers are kept: RESPONSE_CACHE=on serves many from one call (docs/cache.md).</p>;
  const ages = [0.5, 0.95, 0.99].map((part) => [
    percent(part),
    span(lately?.figures.quantile(part, 'cache_age_seconds')),
    span(now.quantile(part, 'cache_age_seconds')),
  ]);
  return (
    <>
      <Counts caption="Answers by result" name="cache_answers_total" label="result" {...shown} />
      <Table
        caption="Age of answers: so many are younger than"
        head={['part', 'lately', 'since the start']}
        rows={ages}
      />
      <Counts caption="Upstream calls by reason" name="cache_calls_total" label="reason" {...shown} />
      <p class="small">
        Forgone for want of a call: {count(now.sum('cache_forgone_total'))}. Memory:{' '}
        {count((now.sum('cache_bytes') ?? 0) / 2 ** 20)} MiB.
      </p>
    </>
  );
}

/** How requests are answered, and how fast. */
export function Requests(shown: Shown) {
  const { now, lately } = shown;
  const added = lately?.figures.by('requests_total', ['status', 'code']);
  const rows = [...now.by('requests_total', ['status', 'code'])]
    .sort(([, one], [, other]) => other - one)
    .map(([group, total]) => [
      group.replace(' none', ''),
      total,
      lately && ((added?.get(group) ?? 0) / lately.seconds) * 60,
    ]);
  const times = [...now.by(`${REQUEST}_count`, ['surface'])].map(([surface, total]) => [
    surface,
    total,
    span(lately?.figures.quantile(0.99, REQUEST, { surface })),
    span(now.quantile(0.99, REQUEST, { surface })),
  ]);
  const head = ['surface', 'requests', '99 % within, lately', 'since the start'];
  return (
    <>
      <Table
        caption="Requests by status and code"
        head={['status and code', 'since the start', 'a minute']}
        rows={rows}
      />
      <Table caption="Time to the answer" head={head} rows={times} />
      <Counts {...shown} isShort caption="Sign-ins by result" name="sign_ins_total" label="result" />
    </>
  );
}

/** What the fee payer holds, and how far that goes. */
export function FeePayer({ now, lately }: Shown) {
  const fee = feeOf(now);
  const rows = now.of('fee_payer_lamports').map(({ labels: { cluster = '' }, value }) => {
    const rate = lately && (lately.figures.sum('fee_lamports_total', { cluster }) ?? 0) / lately.seconds;
    return [
      cluster,
      value,
      Math.floor(value / fee),
      rate ? span(value / rate) : undefined,
      now.sum('sales_open', { cluster }) === 0 ? 'closed' : 'open',
    ];
  });
  const head = ['cluster', 'lamports', 'settlements', 'lasts', 'sales'];
  return (
    <Table
      caption="What it holds, and how far it goes"
      head={head}
      rows={rows}
      empty="Nothing is settled here, or the chain did not say."
    />
  );
}

/** Payments whose outcome is not known, and what is owed. */
export function Payments(shown: Shown) {
  const { now } = shown;
  const open = now.sum('settlements_open');
  const owed = now.of('credit_owed_usd_micros').map(({ labels, value }) => [labels.cluster, dollars(value)]);
  return (
    <>
      <p>
        Payments whose outcome is not known: <strong>{count(open)}</strong>
        {open ? `, the oldest for ${span(now.sum('settlement_open_seconds'))}` : ''}.
      </p>
      <Counts caption="Settlements by outcome" name="settlements_total" label="state" {...shown} />
      <Table caption="Credit owed to wallets" head={['cluster', 'owed']} rows={owed} empty="None is sold." />
    </>
  );
}

/** Who is not served at all. */
export function Blocked(shown: Shown) {
  const rows = shown.now.of('blocked_entries').map(({ labels, value }) => [`${labels.kind}s`, value]);
  return (
    <>
      <Table caption="On the list" head={['kind', 'entries']} rows={rows} />
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
