import { breakEvenSolPrice, dollars, type Route, USUAL_FEE_TEXT, usualFeeMicros } from '@asset-gateway/protocol';
import type { CreditConfig } from '../config/credit.ts';
import type { PaidConfig } from '../config/paid.ts';

/** What settling costs a fee payer of ours, against a price. */
function feeAgainst(priceMicros: number, solPriceUsd: number | undefined): string {
  if (solPriceUsd === undefined) {
    return `settling costs ${USUAL_FEE_TEXT} lamports or more: a loss above $${breakEvenSolPrice(priceMicros)} a SOL`;
  }
  const fee = usualFeeMicros(solPriceUsd);
  const settling = `settling costs $${dollars(fee)} or more at $${solPriceUsd} a SOL`;
  if (fee <= priceMicros)
    return `${settling}: each sale at that price leaves $${dollars(priceMicros - fee)} at the most`;
  const loss = `each sale at that price loses $${dollars(fee - priceMicros)}`;
  return `${settling}: ${loss}; raise PRICE_SURCHARGE_USD_MICROS, or set prices in PRICES_FILE`;
}

/** What one bundle leaves after settling it, once for many answers. */
export function bundleNotice(bundleMicros: number, { facilitator, solPriceUsd }: Selling): string {
  const bundle = `credit: a bundle of $${dollars(bundleMicros)}`;
  if (facilitator.kind !== 'in-process') return `${bundle}, the facilitator settles`;
  if (solPriceUsd === undefined) return `${bundle}, ${feeAgainst(bundleMicros, undefined)}`;
  const fee = usualFeeMicros(solPriceUsd);
  if (fee < bundleMicros) return `${bundle} leaves $${dollars(bundleMicros - fee)} at the most after settling it`;
  return `${bundle} does not pay for settling it, which costs $${dollars(fee)} or more: raise CREDIT_BUNDLE_USD`;
}

type Selling = Pick<PaidConfig, 'facilitator' | 'solPriceUsd'>;

/** What each surface sells its cheapest answer for, against what settling costs. */
export function priceNotices(
  routes: readonly Route[],
  priceOf: (route: Route) => number,
  { facilitator, solPriceUsd }: Selling,
): string[] {
  const paid = routes.filter(({ access, credit }) => access === 'exact' && credit !== 'sold');
  return [...new Set(paid.map(({ surface }) => surface))].map((surface) => {
    const cheapest = Math.min(...paid.filter((route) => route.surface === surface).map(priceOf));
    const fee = facilitator.kind === 'in-process' ? feeAgainst(cheapest, solPriceUsd) : 'the facilitator settles';
    return `${surface}: from $${dollars(cheapest)} an answer, ${fee}`;
  });
}

/** What the start says of what is sold; nothing where nothing is. */
export function saleNotices(
  routes: readonly Route[],
  exact: { readonly priceOf: (route: Route) => number } | undefined,
  { paid, credit }: { readonly paid: PaidConfig | undefined; readonly credit: CreditConfig | undefined },
): string[] {
  if (!exact || !paid) return [];
  const prices = priceNotices(routes, exact.priceOf, paid);
  return credit ? [...prices, bundleNotice(credit.bundleMicros, paid)] : prices;
}
