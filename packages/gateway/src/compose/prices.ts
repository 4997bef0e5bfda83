import { breakEvenSolPrice, dollars, type Route, USUAL_FEE_LAMPORTS, usualFeeMicros } from '@asset-gateway/protocol';
import type { PaidConfig } from '../config/paid.ts';

/** What settling costs a fee payer of ours, against a price. */
function feeAgainst(priceMicros: number, solPriceUsd: number | undefined): string {
  if (solPriceUsd === undefined) {
    const lamports = USUAL_FEE_LAMPORTS.toLocaleString('en-US');
    return `settling costs ${lamports} lamports or more: a loss above $${breakEvenSolPrice(priceMicros)} a SOL`;
  }
  const fee = usualFeeMicros(solPriceUsd);
  const settling = `settling costs $${dollars(fee)} or more at $${solPriceUsd} a SOL`;
  if (fee <= priceMicros)
    return `${settling}: each sale at that price leaves $${dollars(priceMicros - fee)} at the most`;
  const loss = `each sale at that price loses $${dollars(fee - priceMicros)}`;
  return `${settling}: ${loss}; raise PRICE_SURCHARGE_USD_MICROS, or set prices in PRICES_FILE`;
}

/** What each surface sells its cheapest answer for, against what settling costs. */
export function priceNotices(
  routes: readonly Route[],
  priceOf: (route: Route) => number,
  { facilitator, solPriceUsd }: Pick<PaidConfig, 'facilitator' | 'solPriceUsd'>,
): string[] {
  const paid = routes.filter(({ access }) => access === 'exact');
  return [...new Set(paid.map(({ surface }) => surface))].map((surface) => {
    const cheapest = Math.min(...paid.filter((route) => route.surface === surface).map(priceOf));
    const fee = facilitator.kind === 'in-process' ? feeAgainst(cheapest, solPriceUsd) : 'the facilitator settles';
    return `${surface}: from $${dollars(cheapest)} an answer, ${fee}`;
  });
}
