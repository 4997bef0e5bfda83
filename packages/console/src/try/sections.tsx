import { dollars, rough, roughDollars } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import { plain } from '../parts/text.ts';
import { below, countOf, type Members, members, rows } from './calls.ts';
import { Change } from './figures.tsx';

const MAX_ROWS = 50;

/** The data of an included block, or the upstream's reason why there is none. */
export function blockOf(result: unknown, name: string): { readonly data: unknown; readonly missing: string } {
  const block = below(result, 'includes', name);
  if (below(block, 'ok') === true) return { data: below(block, 'data'), missing: '' };
  return { data: undefined, missing: plain(below(block, 'message')) || 'The answer does not include it.' };
}

const short = (address: unknown): string => {
  const text = plain(address, 64);
  return text.length > 12 ? `${text.slice(0, 4)}…${text.slice(-4)}` : text;
};

/** The tokens of the asset. */
export function Variants({ groups }: { readonly groups: unknown }) {
  const all = Object.values(members(groups)).flatMap((group) => rows(group, MAX_ROWS));
  return (
    <Table<Members>
      caption="Tokens of this asset"
      rows={all.slice(0, MAX_ROWS)}
      empty="This asset has no token."
      columns={[
        { title: 'Token', cell: ({ symbol, mint }) => <bdi>{plain(symbol, 24) || short(mint)}</bdi> },
        { title: 'Kind', cell: ({ kind }) => plain(kind, 24) },
        { title: 'Price', isNumber: true, cell: ({ market }) => dollars(below(market, 'price')) },
        {
          title: '24 hours',
          isNumber: true,
          cell: ({ market }) => <Change value={below(market, 'priceChange24hPercent')} />,
        },
        { title: 'Liquidity', isNumber: true, cell: ({ market }) => roughDollars(below(market, 'liquidity')) },
        { title: 'Mint', cell: ({ mint }) => <code title={plain(mint, 64)}>{short(mint)}</code> },
      ]}
    />
  );
}

/** The pools that trade the asset. */
export function Markets({ result }: { readonly result: unknown }) {
  const { data, missing } = blockOf(result, 'markets');
  const shown = rows(below(data, 'markets'), MAX_ROWS);
  const total = below(data, 'total');
  const all = typeof total === 'number' ? total : countOf(below(data, 'markets'));
  if (missing) return <p class="muted">{missing}</p>;
  return (
    <Table<Members>
      caption={`${shown.length} of ${rough(all)} pools, deepest first`}
      rows={shown}
      empty="No pool trades it."
      columns={[
        { title: 'Pair', cell: ({ name, address }) => <bdi>{plain(name, 32) || short(address)}</bdi> },
        { title: 'Exchange', cell: ({ source }) => <bdi>{plain(source, 32)}</bdi> },
        { title: 'Price', isNumber: true, cell: ({ price }) => dollars(price) },
        { title: 'Liquidity', isNumber: true, cell: ({ liquidity }) => roughDollars(liquidity) },
        { title: 'Volume 24 h', isNumber: true, cell: ({ volume24h }) => roughDollars(volume24h) },
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

const verdict = (component: unknown): string =>
  below(component, 'hasData') === false ? 'unknown' : plain(below(component, 'status'), 24);

/** The risk grade of the asset's market. */
export function Risk({ result }: { readonly result: unknown }) {
  const { data, missing } = blockOf(result, 'risk');
  const score = below(data, 'marketScore');
  if (missing) return <p class="muted">{missing}</p>;
  return (
    <>
      <p>
        <strong class="grade">{plain(below(score, 'grade'), 4) || '—'}</strong> {plain(below(score, 'label'), 40)}{' '}
        <span class="muted">{rough(below(score, 'score'))} of 100</span>
      </p>
      <dl class="facts">
        {COMPONENTS.map(([name, title]) => (
          <div key={name}>
            <dt>{title}</dt>
            <dd>
              {verdict(below(score, 'components', name))}{' '}
              <span class="muted">{rough(below(score, 'components', name, 'score'))}</span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
