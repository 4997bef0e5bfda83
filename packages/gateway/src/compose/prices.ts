import { breakEvenSolPrice, dollars, type Route, USUAL_FEE_TEXT, usualFeeMicros } from '@asset-gateway/protocol';
import type { CreditConfig } from '../config/credit.ts';
import type { PaidConfig } from '../config/paid.ts';

/** The cost of a settlement by our own fee payer, compared with a price. */
function feeAgainst(priceMicros: number, solPriceUsd: number | undefined): string {
  if (solPriceUsd === undefined) {
    const limit = breakEvenSolPrice(priceMicros);
    return `a settlement costs at least ${USUAL_FEE_TEXT} lamports, so each sale loses money while SOL is above $${limit}`;
  }
  const fee = usualFeeMicros(solPriceUsd);
  const settling = `a settlement costs at least $${dollars(fee)} at $${solPriceUsd} a SOL`;
  if (fee <= priceMicros) return `${settling}, so each sale leaves at most $${dollars(priceMicros - fee)}`;
  const loss = `so each sale loses $${dollars(fee - priceMicros)}`;
  return `${settling}, ${loss}; raise PRICE_SURCHARGE_USD_MICROS, or set prices in APIS_FILE`;
}

/** What a bundle leaves after its settlement. */
export function bundleNotice(bundleMicros: number, { facilitator, solPriceUsd }: Selling): string {
  const bundle = `credit: a bundle of $${dollars(bundleMicros)}`;
  if (facilitator.kind !== 'in-process') return `${bundle}; the facilitator settles`;
  if (solPriceUsd === undefined) return `${bundle}; ${feeAgainst(bundleMicros, undefined)}`;
  const fee = usualFeeMicros(solPriceUsd);
  if (fee < bundleMicros) return `${bundle} leaves at most $${dollars(bundleMicros - fee)} after its settlement`;
  return `${bundle} does not cover its settlement, at least $${dollars(fee)}; raise CREDIT_BUNDLE_USD`;
}

type Selling = Pick<PaidConfig, 'facilitator' | 'solPriceUsd'>;

/** The lowest price of each surface, compared with the cost of a settlement. */
export function priceNotices(
  routes: readonly Route[],
  priceOf: (route: Route) => number,
  { facilitator, solPriceUsd }: Selling,
): string[] {
  const paid = routes.filter(({ access, credit }) => access === 'exact' && credit !== 'sold');
  return [...new Set(paid.map(({ surface }) => surface))].map((surface) => {
    const cheapest = Math.min(...paid.filter((route) => route.surface === surface).map(priceOf));
    const fee = facilitator.kind === 'in-process' ? feeAgainst(cheapest, solPriceUsd) : 'the facilitator settles';
    return `${surface}: priced from $${dollars(cheapest)} a call; ${fee}`;
  });
}

/** Notices about prices at the start; none if nothing is sold. */
export function saleNotices(
  routes: readonly Route[],
  exact: { readonly priceOf: (route: Route) => number } | undefined,
  { paid, credit }: { readonly paid: PaidConfig | undefined; readonly credit: CreditConfig | undefined },
): string[] {
  if (!exact || !paid) return [];
  const prices = priceNotices(routes, exact.priceOf, paid);
  return credit ? [...prices, bundleNotice(credit.bundleMicros, paid)] : prices;
}
