import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { clock, microDollars } from '../parts/format.ts';
import { plain } from '../parts/text.ts';
import { Bar, MAX_ROWS, Table } from './table.tsx';
import { authorizationOf, storeToken, TokenForm } from './token.tsx';
import { useRepeated } from './use-history.ts';

const EVERY_MS = 60_000;
const GROUPINGS = ['day', 'route', 'wallet'] as const;

type Grouping = (typeof GROUPINGS)[number];

/** A group of sales, with the fields of docs/sales.md. Money is in millionths of a dollar. */
type Sale = Readonly<Record<string, string | number | null>>;

/** A period's sales by one grouping. */
interface SalesResponse {
  /** The start of the period in ISO 8601. */
  readonly since: string;
  readonly isComplete: boolean;
  /** The largest groups. */
  readonly sales: readonly Sale[];
  /** The number of all groups. */
  readonly count: number;
}

type Sales = Awaited<ReturnType<typeof load>>;

const [UNAUTHORIZED, FORBIDDEN] = [401, 403];

const refusal = (status: number): Error => new Error('refused', { cause: status });

async function load(token: string, since: string, signal: AbortSignal) {
  const headers = authorizationOf(token);
  if (!headers) throw refusal(UNAUTHORIZED);
  const loaded = GROUPINGS.map(async (by) => {
    const limit = by === 'wallet' ? `&limit=${MAX_ROWS}` : '';
    const response = await fetch(`/sales?by=${by}${limit}&since=${since}`, { headers, signal });
    const body = response.ok ? ((await response.json()) as SalesResponse) : undefined;
    if (!Array.isArray(body?.sales)) throw refusal(response.status);
    return [by, body] as const;
  });
  const by = Object.fromEntries(await Promise.all(loaded)) as Readonly<Record<Grouping, SalesResponse>>;
  return { atMs: Date.now(), by };
}

/**
 * Loads the sales of a span such as `24h`: at once, every minute, and when `refreshes` changes, unless stopped. Returns the latest sales,
 * and the status of a refused refresh (0 without an answer).
 */
function useSales(token: string, since: string, isStopped: boolean, refreshes: number) {
  const [state, setState] = useState<{ readonly sales?: Sales; readonly refused?: number }>({});
  const refresh = (signal: AbortSignal) =>
    load(token, since, signal).then(
      (sales) => signal.aborted || setState({ sales }),
      (error: unknown) => {
        const refused = Number((error as Error).cause) || 0;
        const isLocked = refused === UNAUTHORIZED || refused === FORBIDDEN;
        if (!signal.aborted) setState((before) => ({ ...(isLocked ? {} : before), refused }));
      },
    );
  useRepeated(EVERY_MS, isStopped, refresh, [token, since, refreshes]);
  return state;
}

const SPANS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

const TOKEN_NEEDED = 'Enter METRICS_TOKEN to see sales. It is sent only to this gateway.';
const REASONS: Readonly<Record<number, string>> = {
  0: 'The gateway does not answer with its sales.',
  [UNAUTHORIZED]: 'Wrong token. Use the METRICS_TOKEN of the gateway’s configuration.',
  [FORBIDDEN]:
    'The gateway has no METRICS_TOKEN, so it shows sales only on its own machine. Open this page there as 127.0.0.1, for instance through ssh -L, or set METRICS_TOKEN.',
  503: 'The journal of sales cannot be read. Check the database.',
};

/** Why sales did not load, and what to do. */
function SalesError({ status, hasToken }: { readonly status: number; readonly hasToken: boolean }) {
  if (status === UNAUTHORIZED && !hasToken) return <p>{TOKEN_NEEDED}</p>;
  return (
    <p class="failure" role="alert">
      {REASONS[status] ?? `The gateway answered ${status}.`}
    </p>
  );
}

interface SalesPanelProps {
  /** METRICS_TOKEN; empty without one. */
  readonly token: string;
  readonly setToken: (token: string) => void;
  readonly isStopped: boolean;
}

/** Sales by day, by route and by wallet. */
export function SalesPanel({ token, setToken, isStopped }: SalesPanelProps) {
  const [since, setSince] = useState('24h');
  const [refreshes, setRefreshes] = useState(0);
  const { sales, refused } = useSales(token, since, isStopped, refreshes);
  const forget = () => {
    storeToken('');
    setToken('');
  };
  return (
    <>
      <p class="row period">
        <label>
          Last{' '}
          <select value={since} onChange={({ currentTarget }) => setSince(currentTarget.value)}>
            {Object.entries(SPANS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Button label="Refresh" onClick={() => setRefreshes(refreshes + 1)} />
        {token !== '' && <Button label="Forget the token" onClick={forget} />}
      </p>
      {refused !== undefined && <SalesError status={refused} hasToken={token !== ''} />}
      {refused === UNAUTHORIZED && <TokenForm onToken={setToken} />}
      {sales && <SalesTables sales={sales} />}
    </>
  );
}

const numberIn = (sale: Sale, name: string): number => Number(sale[name] ?? 0);

const HEAD = ['settled', 'settlements', 'granted', 'spent', 'fees', 'margin'];

const isMainnet = ({ cluster }: Sale): boolean => cluster === 'mainnet';

/** Sorts mainnet first, then by revenue. */
const bestFirst = (one: Sale, other: Sale): number =>
  Number(isMainnet(other)) - Number(isMainnet(one)) ||
  numberIn(other, 'settled_usd_micros') - numberIn(one, 'settled_usd_micros');

function rowsOf(sales: readonly Sale[], by: Grouping) {
  const most = Math.max(...sales.map((sale) => numberIn(sale, 'settled_usd_micros')), 1);
  const money = (sale: Sale, name: string) =>
    microDollars(sale[`${name}_usd_micros`] === null ? undefined : numberIn(sale, `${name}_usd_micros`));
  return sales.map((sale) => [
    `${plain(sale[by]) || 'unknown'}${isMainnet(sale) ? '' : ` (${plain(sale.cluster)}: no value)`}`,
    <Bar key="bar" fraction={numberIn(sale, 'settled_usd_micros') / most} />,
    money(sale, 'settled'),
    numberIn(sale, 'settlements'),
    money(sale, 'granted'),
    money(sale, 'spent'),
    money(sale, 'fee'),
    money(sale, 'margin'),
  ]);
}

function SalesTables({ sales: { atMs, by } }: { readonly sales: Sales }) {
  const isComplete = Object.values(by).every((each) => each.isComplete);
  return (
    <>
      <p class="muted small">
        Since {by.day.since.replace('T', ' ').slice(0, 16)} UTC, updated {clock(atMs)}.
        {!isComplete && ' The gateway is still reading its journal, so these numbers will grow.'}
      </p>
      {by.day.sales.length === 0 && by.route.sales.length === 0 ? (
        <p class="muted">No sales in this period.</p>
      ) : (
        <GroupTables by={by} />
      )}
    </>
  );
}

function GroupTables({ by }: Pick<Sales, 'by'>) {
  const salesBy = (each: Grouping) => (each === 'day' ? by.day.sales : [...by[each].sales].sort(bestFirst));
  return (
    <>
      {GROUPINGS.map((each) => (
        <Table
          key={each}
          caption={`Sales by ${each}`}
          head={[each, 'share', ...HEAD]}
          rows={rowsOf(salesBy(each), each)}
          of={each === 'wallet' ? Number(by.wallet.count) || 0 : 0}
          empty="none in this period."
        />
      ))}
    </>
  );
}
