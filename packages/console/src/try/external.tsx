import { dollars, roughDollars } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import { plain } from '../parts/text.ts';
import { below, type Members, members, rows } from './calls.ts';

const MAX_ROWS = 50;

/** The exchanges that trade an asset, from its tickers. */
export function Exchanges({ result }: { readonly result: unknown }) {
  return (
    <Table<Members>
      caption="Exchanges that trade it"
      rows={rows(below(result, 'tickers', 'rows'), MAX_ROWS)}
      empty="No known exchange trades it."
      columns={[
        { title: 'Exchange', cell: ({ market }) => <bdi>{plain(below(market, 'name'), 40)}</bdi> },
        { title: 'Pair', cell: ({ base, target }) => <bdi>{`${plain(base, 16)}/${plain(target, 16)}`}</bdi> },
        { title: 'Price', isNumber: true, cell: ({ priceUsd }) => dollars(priceUsd) },
        { title: 'Volume 24 h', isNumber: true, cell: ({ volume24hUsd }) => roughDollars(volume24hUsd) },
      ]}
    />
  );
}

const isSafe = (url: unknown): url is string =>
  typeof url === 'string' && url.startsWith('https://') && URL.canParse(url);

/** An asset's description, record price and links, from its profile. */
export function About({ result, summary }: { readonly result: unknown; readonly summary: unknown }) {
  const block = below(result, 'profile');
  const data = members(below(block, 'data'));
  const { description, links, allTimeHigh, allTimeHighDate } = data;
  if (below(block, 'ok') !== true) return <p class="muted">{plain(below(block, 'message')) || 'Unknown.'}</p>;
  return (
    <>
      <p class="about">{plain(description, 2000) || plain(summary, 2000)}</p>
      <p>
        All-time high: {dollars(allTimeHigh)} <span class="muted">{plain(allTimeHighDate, 64).slice(0, 10)}</span>
      </p>
      <ul class="links">
        {Object.entries(members(links))
          .filter(([, url]) => isSafe(url))
          .map(([name, url]) => (
            <li key={name}>
              <a href={String(url)} rel="noreferrer noopener" target="_blank">
                {plain(name, 24)} <span class="muted small">{plain(new URL(String(url)).host, 60)}</span>
              </a>
            </li>
          ))}
      </ul>
    </>
  );
}
