import { useState } from 'preact/hooks';
import { plain } from '../parts/text.ts';
import { clock, dollars } from './format.ts';
import { Bar, Table } from './table.tsx';
import { storeToken, TokenForm } from './token.tsx';

import { FORBIDDEN, type Grouping, type Sale, type Sales, UNAUTHORIZED, useSales } from './use-sales.ts';

const SPANS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

const TOKEN_NEEDED = 'Enter METRICS_TOKEN to see sales. It is sent only to this gateway.';
const REASONS: Readonly<Record<number, string>> = {
  0: 'The gateway does not answer with its sales.',
  [UNAUTHORIZED]: 'Wrong token. Use the METRICS_TOKEN of the gateway’s configuration.',
  [FORBIDDEN]:
    'The gateway has no METRICS_TOKEN, so it shows sales only on its own machine. Open this page there as 127.0.0.1, for instance through ssh -L, or set METRICS_TOKEN.',
  503: 'The journal of sales cannot be read. Check the database.',
};

/** Why sales could not be loaded, and what to do. */
function SalesError({ status, hasToken }: { readonly status: number; readonly hasToken: boolean }) {
  if (status === UNAUTHORIZED && !hasToken) return <p>{TOKEN_NEEDED}</p>;
  return (
    <p class="failure" role="alert">
      {REASONS[status] ?? `The gateway answered ${status}.`}
    </p>
  );
}

interface SalesPanelProps {
  /** METRICS_TOKEN, or empty. */
  readonly token: string;
  readonly setToken: (token: string) => void;
  readonly isStopped: boolean;
}

/** Sales by day, by route and by wallet. */
export function SalesPanel({ token, setToken, isStopped }: SalesPanelProps) {
  const [since, setSince] = useState('24h');
  const [refreshes, setRefreshes] = useState(0);
  const { sales, refused } = useSales({ token, since }, isStopped, refreshes);
  const forget = () => {
    storeToken('');
    setToken('');
  };
  return (
    <>
      <p class="choices">
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
        <button type="button" onClick={() => setRefreshes(refreshes + 1)}>
          Refresh
        </button>
        {token !== '' && (
          <button type="button" onClick={forget}>
            Forget the token
          </button>
        )}
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

/** Mainnet first, then by revenue. */
const bestFirst = (one: Sale, other: Sale): number =>
  Number(isMainnet(other)) - Number(isMainnet(one)) ||
  numberIn(other, 'settled_usd_micros') - numberIn(one, 'settled_usd_micros');

function rowsOf(sales: readonly Sale[], by: Grouping) {
  const most = Math.max(...sales.map((sale) => numberIn(sale, 'settled_usd_micros')), 1);
  const money = (sale: Sale, name: string) =>
    dollars(sale[`${name}_usd_micros`] === null ? undefined : numberIn(sale, `${name}_usd_micros`));
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

function SalesTables({ sales: { by, wallets, since, atMs, isComplete } }: { readonly sales: Sales }) {
  const tables = { day: by.day, route: [...by.route].sort(bestFirst), wallet: [...by.wallet].sort(bestFirst) };
  return (
    <>
      <p class="muted small">
        Since {since.replace('T', ' ').slice(0, 16)} UTC, updated {clock(atMs)}.
        {!isComplete && ' The gateway is still reading its journal, so these numbers will grow.'}
      </p>
      {(['day', 'route', 'wallet'] as const).map((each) => (
        <Table
          key={each}
          caption={`Sales by ${each}`}
          head={[each, 'share', ...HEAD]}
          rows={rowsOf(tables[each], each)}
          of={each === 'wallet' ? wallets : 0}
          empty="No sales in this period."
        />
      ))}
    </>
  );
}
