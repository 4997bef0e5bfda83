import { dollars, rough, roughDollars } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import { plain } from '../parts/text.ts';
import { Change } from './figures.tsx';
import { below, countOf, type Members, members, rows } from './reading.ts';

const MOST = 50;

/** What an include block has, or the upstream's reason why it has nothing. */
export function blockOf(result: unknown, name: string): { readonly data: unknown; readonly missing: string } {
  const block = below(result, 'includes', name);
  if (below(block, 'ok') === true) return { data: below(block, 'data'), missing: '' };
  return { data: undefined, missing: plain(below(block, 'message')) || 'The answer has nothing about it.' };
}

const short = (address: unknown): string => {
  const text = plain(address, 64);
  return text.length > 12 ? `${text.slice(0, 4)}…${text.slice(-4)}` : text;
};

/** The tokens that stand for the asset. */
export function Variants({ groups }: { readonly groups: unknown }) {
  const all = Object.values(members(groups)).flatMap((group) => rows(group, MOST));
  return (
    <section>
      <h2>Variants</h2>
      <Table<Members>
        caption="The tokens that stand for this asset"
        rows={all.slice(0, MOST)}
        empty="No token stands for this asset."
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
    </section>
  );
}

/** The pools that the asset is traded in. */
export function Markets({ result }: { readonly result: unknown }) {
  const { data, missing } = blockOf(result, 'markets');
  const shown = rows(below(data, 'markets'), MOST);
  const total = below(data, 'total');
  const all = typeof total === 'number' ? total : countOf(below(data, 'markets'));
  return (
    <section>
      <h2>Markets</h2>
      {missing ? (
        <p class="muted">{missing}</p>
      ) : (
        <Table<Members>
          caption={`${shown.length} of ${rough(all)} pools, the deepest first`}
          rows={shown}
          empty="It is traded in no pool."
          columns={[
            { title: 'Pair', cell: ({ name, address }) => <bdi>{plain(name, 32) || short(address)}</bdi> },
            { title: 'Exchange', cell: ({ source }) => <bdi>{plain(source, 32)}</bdi> },
            { title: 'Price', isNumber: true, cell: ({ price }) => dollars(price) },
            { title: 'Liquidity', isNumber: true, cell: ({ liquidity }) => roughDollars(liquidity) },
            { title: 'Volume 24 h', isNumber: true, cell: ({ volume24h }) => roughDollars(volume24h) },
          ]}
        />
      )}
    </section>
  );
}

const COMPONENTS = [
  ['liquidityHealth', 'Liquidity'],
  ['holderDistribution', 'Distribution among holders'],
  ['tradingActivity', 'Trading'],
  ['holderCount', 'Number of holders'],
] as const;

const verdict = (component: unknown): string =>
  below(component, 'hasData') === false ? 'not known' : plain(below(component, 'status'), 24);

/** How much the market of the asset can be relied upon. */
export function Risk({ result }: { readonly result: unknown }) {
  const { data, missing } = blockOf(result, 'risk');
  const score = below(data, 'marketScore');
  return (
    <section>
      <h2>Risk</h2>
      {missing ? (
        <p class="muted">{missing}</p>
      ) : (
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
      )}
    </section>
  );
}
