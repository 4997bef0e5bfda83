import type { VNode } from 'preact';
import { dollars, roughDollars } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { plain } from '../parts/text.ts';
import type { Session } from '../session.ts';
import { below, type Members, members, profile, rows, type TokensCall, tickers } from './calls.ts';
import type { ReportCall } from './last-call-panel.tsx';
import { Loaded } from './loaded.tsx';
import { Markets, Risk, Variants } from './sections.tsx';

const MAX_ROWS = 50;

/** The exchanges that trade an asset, from its tickers. */
function Exchanges({ result }: { readonly result: unknown }) {
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
function About({ result, summary }: { readonly result: unknown; readonly summary: unknown }) {
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

interface DetailsProps {
  readonly session: Session;
  readonly report: ReportCall;
  readonly assetId: string;
  readonly result: unknown;
}

const LOADING = <p class="muted">Loading …</p>;

/** The tabs of what takes a call of its own. */
function externalTabs({ assetId, result, ...rest }: DetailsProps): Tab[] {
  const summary = below(result, 'asset', 'description');
  const load = (what: string, call: TokensCall, show: (answer: unknown) => VNode) => (
    <Loaded key={what} {...rest} what={what} call={call} placeholder={LOADING} show={show} />
  );
  return [
    {
      title: 'Exchanges',
      show: () => load('exchanges', tickers(assetId), (answer) => <Exchanges result={answer} />),
    },
    {
      title: 'About',
      show: () => load('the profile', profile(assetId), (answer) => <About result={answer} summary={summary} />),
    },
  ];
}

/** What else is known of an asset, in tabs. */
export function Details(props: DetailsProps) {
  const { result } = props;
  const groups = below(result, 'asset', 'variantGroups');
  const tabs: Tab[] = [
    { title: 'Markets', show: () => <Markets result={result} /> },
    { title: 'Risk', show: () => <Risk result={result} /> },
    { title: 'Variants', show: () => <Variants groups={groups} /> },
    ...externalTabs(props),
  ];
  return (
    <section class="details" aria-label="Details">
      <Tabs label="Details" tabs={tabs} />
    </section>
  );
}
