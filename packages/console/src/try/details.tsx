import {
  amountFigure,
  below,
  compactFigure,
  listAt,
  type Members,
  objectAt,
  priceFigure,
  UNKNOWN,
} from '@asset-gateway/protocol';
import type { VNode } from 'preact';
import { Table, TermList } from '../parts/table.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { plain, rows, short } from '../parts/text.ts';
import type { TokensCall } from '../parts/use-call.ts';
import { profile, tickers } from './calls.ts';
import { Change } from './figures.tsx';
import { Loaded } from './loaded.tsx';

const MAX_ROWS = 50;

/** A block's data, or the upstream's reason why there is none. */
function dataIn(block: unknown, otherwise: string): { readonly data?: unknown; readonly missing?: string } {
  return below(block, 'ok') === true
    ? { data: below(block, 'data') }
    : { missing: plain(below(block, 'message')) || otherwise };
}

/** The data of an included block. */
export const blockOf = (result: unknown, name: string) =>
  dataIn(below(result, 'includes', name), 'The answer does not include it.');

const shortened = (address: unknown): string => short(plain(address, 64));

/** The pools that trade the asset. */
function Markets({ result }: { readonly result: unknown }) {
  const { data, missing } = blockOf(result, 'markets');
  const shown = rows(below(data, 'markets'), MAX_ROWS);
  const total = below(data, 'total');
  const all = typeof total === 'number' ? total : listAt(data, 'markets').length;
  if (missing) return <p class="muted">{missing}</p>;
  return (
    <Table<Members>
      caption={`${shown.length} of ${compactFigure(all)} pools, deepest first`}
      rows={shown}
      empty="No pool trades it."
      columns={[
        { title: 'Pair', cell: ({ name, address }) => <bdi>{plain(name, 32) || shortened(address)}</bdi> },
        { title: 'Exchange', cell: ({ source }) => <bdi>{plain(source, 32)}</bdi> },
        { title: 'Price', isNumber: true, cell: ({ price }) => priceFigure(price) },
        { title: 'Liquidity', isNumber: true, cell: ({ liquidity }) => amountFigure(liquidity) },
        { title: 'Volume 24 h', isNumber: true, cell: ({ volume24h }) => amountFigure(volume24h) },
      ]}
    />
  );
}

const COMPONENTS = [
  ['liquidityHealth', 'Liquidity'],
  ['holderDistribution', 'Holder distribution'],
  ['tradingActivity', 'Trading'],
  ['holderCount', 'Number of holders'],
] as const;

const Verdict = ({ component }: { readonly component: unknown }) => (
  <>
    {below(component, 'hasData') === false ? 'unknown' : plain(below(component, 'status'), 24)}{' '}
    <span class="muted">{compactFigure(below(component, 'score'))}</span>
  </>
);

/** The risk grade of the asset's market. */
function Risk({ result }: { readonly result: unknown }) {
  const { data, missing } = blockOf(result, 'risk');
  const score = below(data, 'marketScore');
  if (missing) return <p class="muted">{missing}</p>;
  return (
    <>
      <p>
        <strong class="grade">{plain(below(score, 'grade'), 4) || UNKNOWN}</strong> {plain(below(score, 'label'), 40)}{' '}
        <span class="muted">{compactFigure(below(score, 'score'))} of 100</span>
      </p>
      <TermList
        class="facts tabular"
        of={COMPONENTS.map(([name, title]) => [title, <Verdict component={below(score, 'components', name)} />])}
      />
    </>
  );
}

/** The tokens of the asset. */
function Variants({ result }: { readonly result: unknown }) {
  const groups = objectAt(result, 'asset', 'variantGroups');
  return (
    <Table<Members>
      caption="Tokens of this asset"
      rows={Object.values(groups)
        .flatMap((group) => rows(group, MAX_ROWS))
        .slice(0, MAX_ROWS)}
      empty="This asset has no token."
      columns={[
        { title: 'Token', cell: ({ symbol, mint }) => <bdi>{plain(symbol, 24) || shortened(mint)}</bdi> },
        { title: 'Kind', cell: ({ kind }) => plain(kind, 24) },
        { title: 'Price', isNumber: true, cell: ({ market }) => priceFigure(below(market, 'price')) },
        {
          title: '24 hours',
          isNumber: true,
          cell: ({ market }) => <Change value={below(market, 'priceChange24hPercent')} />,
        },
        { title: 'Liquidity', isNumber: true, cell: ({ market }) => amountFigure(below(market, 'liquidity')) },
        { title: 'Mint', cell: ({ mint }) => <code title={plain(mint, 64)}>{shortened(mint)}</code> },
      ]}
    />
  );
}

/** The exchanges that trade an asset, from its tickers. */
const Exchanges = ({ result }: { readonly result: unknown }) => (
  <Table<Members>
    caption="Exchanges that trade it"
    rows={rows(below(result, 'tickers', 'rows'), MAX_ROWS)}
    empty="No known exchange trades it."
    columns={[
      { title: 'Exchange', cell: ({ market }) => <bdi>{plain(below(market, 'name'), 40)}</bdi> },
      { title: 'Pair', cell: ({ base, target }) => <bdi>{`${plain(base, 16)}/${plain(target, 16)}`}</bdi> },
      { title: 'Price', isNumber: true, cell: ({ priceUsd }) => priceFigure(priceUsd) },
      { title: 'Volume 24 h', isNumber: true, cell: ({ volume24hUsd }) => amountFigure(volume24hUsd) },
    ]}
  />
);

const isSafe = (link: readonly [string, unknown]): link is [string, string] =>
  typeof link[1] === 'string' && link[1].startsWith('https://') && URL.canParse(link[1]);

/** An asset's description, record price and links, from its profile. */
function About({ result, summary }: { readonly result: unknown; readonly summary: unknown }) {
  const { data, missing } = dataIn(below(result, 'profile'), 'Unknown.');
  const { description, links, allTimeHigh, allTimeHighDate } = objectAt(data);
  if (missing) return <p class="muted">{missing}</p>;
  return (
    <>
      <p class="about muted">{plain(description, 2000) || plain(summary, 2000)}</p>
      <p>
        All-time high: {priceFigure(allTimeHigh)} <span class="muted">{plain(allTimeHighDate, 64).slice(0, 10)}</span>
      </p>
      <ul class="links">
        {Object.entries(objectAt(links))
          .filter(isSafe)
          .map(([name, url]) => (
            <li key={name}>
              <a href={url} rel="noreferrer noopener" target="_blank">
                {plain(name, 24)} <span class="muted small">{plain(new URL(url).host, 60)}</span>
              </a>
            </li>
          ))}
      </ul>
    </>
  );
}

/** Further facts about an asset, in tabs. The last two tabs take a call each. */
export function Details({ assetId, result }: { readonly assetId: string; readonly result: unknown }) {
  const summary = below(result, 'asset', 'description');
  const load = (what: string, call: TokensCall, show: (answer: unknown) => VNode) => (
    <Loaded key={what} what={what} call={call} placeholder={<p class="muted">Loading …</p>} show={show} />
  );
  const about = () => load('the profile', profile(assetId), (answer) => <About result={answer} summary={summary} />);
  const tabs: Tab[] = [
    { title: 'Markets', show: () => <Markets result={result} /> },
    { title: 'Risk', show: () => <Risk result={result} /> },
    { title: 'Variants', show: () => <Variants result={result} /> },
    { title: 'Exchanges', show: () => load('exchanges', tickers(assetId), (answer) => <Exchanges result={answer} />) },
    { title: 'About', show: about },
  ];
  return (
    <section class="details" aria-label="Details">
      <Tabs label="Details" tabs={tabs} />
    </section>
  );
}
