import { compactFigure } from '@asset-gateway/protocol';
import { bytes, count, duration, microDollars, plural } from '../parts/format.ts';
import { type Column, Table as PlainTable, TermList, type Terms } from '../parts/table.tsx';
import { plain } from '../parts/text.ts';
import { DOCUMENTS } from './documents.ts';
import { Bar, Counts, Table } from './table.tsx';
import type { Totals, UpstreamTotals } from './use-history.ts';

const FAILED = /^(?:429|5)/;
const CACHED = ['hit', 'stale', 'collapsed'];

const rateOf = (counts: Totals['requests'], fits: (group: string) => boolean): number =>
  counts.reduce((sum, [group, , perMinute]) => sum + (fits(group) ? perMinute : 0), 0);

/** The figures that an operator looks at first. */
export function Tiles({ requests, upstreams, cache, payments, feePayers }: Totals) {
  const data = upstreams.find(({ name }) => name === 'tokens');
  const answers = cache ? rateOf(cache.answers, () => true) : 0;
  const hits = cache ? rateOf(cache.answers, (group) => CACHED.includes(group)) : 0;
  const payer = feePayers.find(({ cluster }) => cluster === 'mainnet') ?? feePayers[0];
  const tiles: Terms = [
    ['Requests per minute, 5 min', count(rateOf(requests, () => true))],
    ['429 and 5xx per minute, 5 min', count(rateOf(requests, (group) => FAILED.test(group)))],
    ['Latency p95, upstream, 5 min', duration(data?.p95[0])],
    ['Asset-data budget left', data ? `${count(data.left)} of ${count(data.limit)}` : 'not configured'],
    ['Cache hits, 5 min', cache ? (answers > 0 ? `${Math.round((hits / answers) * 100)} %` : 'no requests') : 'off'],
    ['Open payments', count(payments.open)],
    ['Fee payer: settlements left', payer ? compactFigure(payer.settlementsLeft) : 'no fee payer'],
  ];
  return <TermList class="tiles tabular" of={tiles} />;
}

/** Whether an upstream is called, paused or switched off. */
function statusOf({ isBreakerOpen, pauseSeconds, keysSetAside }: UpstreamTotals): string {
  if (isBreakerOpen) return 'circuit breaker open';
  if (pauseSeconds > 0) return `paused for ${duration(pauseSeconds)}`;
  return keysSetAside.length > 0 ? `key ${plain(keysSetAside.join(', '))} set aside` : 'in use';
}

const UPSTREAM: readonly Column<UpstreamTotals>[] = [
  { title: 'upstream', cell: ({ name }) => plain(name) },
  { title: 'budget', cell: ({ left, limit }) => <Bar fraction={left / limit} /> },
  { title: 'left', isNumber: true, cell: ({ left }) => count(left) },
  { title: 'limit', isNumber: true, cell: ({ limit }) => count(limit) },
  { title: 'status', cell: statusOf },
  { title: 'p95, 5 min', isNumber: true, cell: ({ p95: [recent] }) => duration(recent) },
  { title: 'p95 since start', isNumber: true, cell: ({ p95: [, sinceStart] }) => duration(sinceStart) },
  { title: 'calls', isNumber: true, cell: ({ calls }) => count(calls) },
  { title: 'keys refused', isNumber: true, cell: ({ keyRefusals }) => count(keyRefusals) },
];

/** The budget and health of each upstream. Unused upstreams share one line. */
export function Upstreams({ upstreams }: Totals) {
  const isQuiet = (each: UpstreamTotals) => each.calls === 0 && each.name !== 'tokens' && statusOf(each) === 'in use';
  const [quiet, used] = [upstreams.filter(isQuiet), upstreams.filter((each) => !isQuiet(each))];
  return (
    <>
      <PlainTable caption="Upstreams: budget and health" columns={UPSTREAM} rows={used} empty="None yet." />
      {quiet.length > 0 && (
        <details>
          <summary>{plural(quiet.length, 'upstream')} without calls</summary>
          <PlainTable caption="Upstreams without calls" columns={UPSTREAM} rows={quiet} />
        </details>
      )}
    </>
  );
}

const GROUPS = { address: 'unpaid clients, by address', paid: 'paying wallets', refresh: 'cache refreshes' };

/** The users of the asset-data budget. */
export const BudgetUse = ({ slots, shareRefusals }: Totals) => (
  <>
    <Counts caption="Slots by client group" label="group" words={GROUPS} counts={slots} />
    <Counts caption="Refused because a share was used up" label="scope" counts={shareRefusals} />
  </>
);

/** The response cache. */
export function Cache({ cache }: Totals) {
  if (!cache)
    return (
      <p class="muted">
        Cache off. <code>RESPONSE_CACHE=on</code> serves many clients from one upstream call:{' '}
        <a href={DOCUMENTS.cache}>how it works</a>.
      </p>
    );
  const ages = cache.ages.map(([percentile, ...recent]) => [plain(percentile), ...recent.map(duration)]);
  return (
    <>
      <Counts caption="Answers by result" label="result" counts={cache.answers} />
      <Table caption="Age of answers" head={['percentile', '5 min', 'since start']} rows={ages} />
      <Counts caption="Upstream calls by reason" label="reason" counts={cache.calls} />
      <p class="small">
        Requests refused for lack of budget: {count(cache.forgone)}. Memory: {bytes(cache.bytes)}.
      </p>
    </>
  );
}

/** Requests by status and code, and response times. */
export function Requests({ requests, responseTimes, signIns }: Totals) {
  const named = requests.map(([group, ...rest]) => [group.replace(' none', ''), ...rest] as const);
  const times = responseTimes.map(([surface, total, ...recent]) => [plain(surface), total, ...recent.map(duration)]);
  return (
    <>
      <Counts caption="Requests by status and code" label="status and code" counts={named} />
      <Table caption="Response time" head={['surface', 'requests', 'p99, 5 min', 'p99 since start']} rows={times} />
      <Counts caption="Sign-ins by result" label="result" counts={signIns} />
    </>
  );
}

/** The fee payer's balance, and how long it lasts. */
export const FeePayer = ({ feePayers }: Totals) => (
  <Table
    caption="Fee payer balance"
    head={['cluster', 'lamports', 'settlements left', 'lasts', 'sales']}
    rows={feePayers.map(({ cluster, lamports, settlementsLeft, lastsSeconds, isOpen }) => [
      plain(cluster),
      lamports,
      settlementsLeft,
      duration(lastsSeconds),
      isOpen ? 'open' : 'closed',
    ])}
    empty="this node settles nothing, or the chain did not answer."
  />
);

/** Open payments, settlements, and the credit owed. */
export const Payments = ({ payments: { open, oldestSeconds, settlements, owed } }: Totals) => (
  <>
    <p>
      Open payments: <strong>{count(open)}</strong>
      {open ? `, the oldest for ${duration(oldestSeconds)}` : ''}.
    </p>
    <Counts caption="Settlements by outcome" label="state" counts={settlements} />
    {owed && (
      <Table
        caption="Credit owed to wallets"
        head={['cluster', 'owed']}
        rows={owed.map(([cluster, micros]) => [plain(cluster), microDollars(micros)])}
        empty="this gateway sells no credit."
      />
    )}
  </>
);

/** The blocklist and its refusals. */
export const Blocked = ({ blocked: { entries, refusals } }: Totals) => (
  <>
    <Table
      caption="Blocklist"
      head={['kind', 'entries']}
      rows={entries.map(([kind, size]) => [`${plain(kind)}s`, size])}
    />
    <Counts caption="Refused as blocked" label="route" counts={refusals} />
  </>
);
