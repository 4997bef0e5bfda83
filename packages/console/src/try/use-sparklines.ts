import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../session.ts';
import { below } from './calls.ts';
import { candlesIn } from './candles.ts';
import { isBudgetLow } from './loaded.tsx';
import { dayBefore } from './ranges.ts';

export type Sparklines = ReadonlyMap<string, readonly number[]>;

/** Prices of the last day by asset and hour. */
const loaded = new Map<string, Promise<readonly number[]>>();
const MOST = 200;

function load({ client }: Session, assetId: string, from: number): Promise<readonly number[]> {
  const key = `${from} ${assetId}`;
  const known = loaded.get(key);
  if (known) return known;
  const prices = client
    .with({ retries: 0 })
    .tokens.priceChart(assetId, { interval: '1H', from })
    .then((result) => candlesIn(below(result, 'candles')).drawn.map(({ close }) => close));
  prices.catch(() => loaded.delete(key));
  loaded.set(key, prices);
  if (loaded.size > MOST) loaded.delete(loaded.keys().next().value ?? '');
  return prices;
}

/** Loads sparklines one after the other, and stops at the first failure or, unless `isAsked`, when the budget is low. */
export function useSparklines(
  session: Session,
  assetIds: readonly string[],
  { isOn, isAsked }: { readonly isOn: boolean; readonly isAsked: boolean },
): Sparklines {
  const [lines, setLines] = useState<Sparklines>(new Map());
  useEffect(() => {
    if (!isOn) return undefined;
    let isOver = false;
    const from = dayBefore(Date.now() / 1000);
    const loadAll = async () => {
      for (const assetId of assetIds) {
        if (isOver || (!isAsked && isBudgetLow(session))) return;
        const prices = await load(session, assetId, from);
        setLines((before) => new Map(before).set(assetId, prices));
      }
    };
    // Rows without a line say enough: the price and its change.
    loadAll().catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [isOn, assetIds.join(' ')]);
  return lines;
}
