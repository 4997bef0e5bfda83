import { useState } from 'preact/hooks';
import { plain } from '../parts/text.ts';
import { Bar, Table } from './table.tsx';
import { keep, stored, TokenForm } from './token.tsx';
import { FORBIDDEN, type Grouping, type Sale, type Sold, UNAUTHORIZED, useSales } from './use-sales.ts';
import { clock, dollars } from './words.ts';

const SPANS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

const ASKED = 'Sales are told to whoever knows METRICS_TOKEN. It is sent to this gateway and nowhere else.';
const REASONS: Readonly<Record<number, string>> = {
  0: 'The gateway does not answer, or not with its sales.',
  [UNAUTHORIZED]: 'This is not the token that the gateway wants: it is METRICS_TOKEN in its configuration.',
  [FORBIDDEN]:
    'The gateway has no METRICS_TOKEN, so it tells of sales on its own machine only: open this page there as 127.0.0.1, for instance through ssh -L, or set METRICS_TOKEN.',
  503: 'The journal of sales cannot be read: look at the state store.',
};

/** Why there is nothing newer, and what to do. */
function WhyNot({ status, hasToken }: { readonly status: number; readonly hasToken: boolean }) {
  if (status === UNAUTHORIZED && !hasToken) return <p>{ASKED}</p>;
  return (
    <p class="failure" role="alert">
      {REASONS[status] ?? `The gateway answers ${status}.`}
    </p>
  );
}

/** What was sold, by day, by route and by wallet. */
export function SalesPanel({ isStopped }: { readonly isStopped: boolean }) {
  const [token, setToken] = useState(stored);
  const [since, setSince] = useState('24h');
  const [times, setTimes] = useState(0);
  const { sold, refused } = useSales({ token, since }, isStopped, times);
  const forget = () => {
    keep('');
    setToken('');
  };
  return (
    <>
      <p class="choices">
        <label>
          Since{' '}
          <select value={since} onChange={({ currentTarget }) => setSince(currentTarget.value)}>
            {Object.entries(SPANS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => setTimes(times + 1)}>
          Ask again
        </button>
        {token !== '' && (
          <button type="button" onClick={forget}>
            Forget the token
          </button>
        )}
      </p>
      {refused !== undefined && <WhyNot status={refused} hasToken={token !== ''} />}
      {refused === UNAUTHORIZED && <TokenForm onToken={setToken} />}
      {sold && <SoldTables sold={sold} />}
    </>
  );
}

const numberIn = (sale: Sale, name: string): number => Number(sale[name] ?? 0);

const HEAD = ['settled', 'settlements', 'granted', 'spent', 'fees', 'margin'];

const isMainnet = ({ cluster }: Sale): boolean => cluster === 'mainnet';

/** Mainnet first, what brings most above. */
const bestFirst = (one: Sale, other: Sale): number =>
  Number(isMainnet(other)) - Number(isMainnet(one)) ||
  numberIn(other, 'settled_usd_micros') - numberIn(one, 'settled_usd_micros');

function rowsOf(sales: readonly Sale[], by: Grouping) {
  const most = Math.max(...sales.map((sale) => numberIn(sale, 'settled_usd_micros')), 1);
  const money = (sale: Sale, name: string) =>
    dollars(sale[`${name}_usd_micros`] === null ? undefined : numberIn(sale, `${name}_usd_micros`));
  return sales.map((sale) => [
    `${plain(sale[by]) || 'not known'}${isMainnet(sale) ? '' : ` (${plain(sale.cluster)}: worth nothing)`}`,
    <Bar key="bar" part={numberIn(sale, 'settled_usd_micros') / most} />,
    money(sale, 'settled'),
    numberIn(sale, 'settlements'),
    money(sale, 'granted'),
    money(sale, 'spent'),
    money(sale, 'fee'),
    money(sale, 'margin'),
  ]);
}

function SoldTables({ sold: { by, wallets, since, atMs, isComplete } }: { readonly sold: Sold }) {
  const tables = { day: by.day, route: [...by.route].sort(bestFirst), wallet: [...by.wallet].sort(bestFirst) };
  return (
    <>
      <p class="muted small">
        Since {since.replace('T', ' ').slice(0, 16)} UTC, read at {clock(atMs)}.
        {!isComplete && ' The gateway still reads its journal: there is more to come.'}
      </p>
      {(['day', 'route', 'wallet'] as const).map((each) => (
        <Table
          key={each}
          caption={`Sales by ${each}`}
          head={[each, 'share', ...HEAD]}
          rows={rowsOf(tables[each], each)}
          of={each === 'wallet' ? wallets : 0}
          empty="Nothing was sold in this time."
        />
      ))}
    </>
  );
}
