import { below } from '@asset-gateway/protocol';
import { dollars } from '../parts/format.ts';
import { hrefOf } from '../router.ts';
import { courseOf } from './calls.ts';
import { candlesIn, periodOf, RANGES } from './candles.ts';
import { Change } from './figures.tsx';
import { Loaded } from './loaded.tsx';
import { PriceLine } from './price-line.tsx';

const ASSET = { id: 'solana', name: 'Solana', symbol: 'SOL' };
const WORDS = RANGES['7D'].words;

/** The price of an asset, its change in the period, and its course. */
function Course({ result }: { readonly result: unknown }) {
  const candles = candlesIn(below(result, 'candles'));
  const period = periodOf(candles);
  if (!period) return <p class="muted">There are no prices at the moment.</p>;
  return (
    <>
      <p class="price tabular">
        <strong>{dollars(period.last)}</strong> <Change value={period.changePercent} since={`in ${WORDS}`} />
      </p>
      <PriceLine candles={candles.drawn} />
    </>
  );
}

/** One chart on the first view. It takes one call. */
export const Featured = () => (
  <section class="panel featured" aria-label={ASSET.name}>
    <div class="row head">
      <h2>
        {ASSET.name} <span class="muted">{ASSET.symbol}</span>
      </h2>
      <a class="small" href={hrefOf('try', ASSET.id)}>
        Candles, markets, risk
      </a>
    </div>
    <Loaded
      call={courseOf(ASSET.id)}
      what="the chart"
      placeholder={<div class="placeholder course" aria-hidden="true" />}
      show={(result) => <Course result={result} />}
    />
  </section>
);
