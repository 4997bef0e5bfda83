import { breakEvenSolPrice, dollars, type Route, USUAL_FEE_TEXT, usualFeeMicros } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import type { ExactSetup } from '../payments/open.ts';

/** SOL was never this dear, in dollars: a price that covers its settlement until then needs no warning. */
const FAR_ABOVE_MARKET_USD = 1_000;

const ADVICE = 'raise PRICE_SURCHARGE_USD_MICROS, or set prices in APIS_FILE';

/** What is sold, and its lowest price in millionths of a dollar. */
type Offer = readonly [name: string, priceMicros: number];

function offersOf(routes: readonly Route[], { priceOf }: Pick<ExactSetup, 'priceOf'>, { credit }: Config): Offer[] {
  const paid = routes.filter((route) => route.access === 'exact' && route.credit !== 'sold');
  const surfaces = [...new Set(paid.map(({ surface }) => surface))];
  const cheapestOf = (surface: string): number =>
    Math.min(...paid.filter((route) => route.surface === surface).map(priceOf));
  return [
    ...surfaces.map((surface) => [surface, cheapestOf(surface)] as const),
    ...(credit ? [['a bundle of credit', credit.bundleMicros] as const] : []),
  ];
}

/**
 * A sentence about prices that do not cover their settlement in this process; undefined if all do. Without the price of SOL, it names
 * the price up to which they do.
 */
export function lossNotice(
  routes: readonly Route[],
  exact: Pick<ExactSetup, 'priceOf'>,
  config: Config,
): string | undefined {
  const { facilitator, solPriceUsd } = config.paid ?? {};
  if (facilitator?.kind !== 'in-process') return undefined;
  const fee = usualFeeMicros(solPriceUsd ?? FAR_ABOVE_MARKET_USD);
  const low = offersOf(routes, exact, config).filter(([, micros]) => micros < fee);
  if (low.length === 0) return undefined;
  if (solPriceUsd === undefined) {
    const limits = low.map(([name, micros]) => `$${breakEvenSolPrice(micros)} (${name})`).join(', ');
    return `a settlement costs ${USUAL_FEE_TEXT} lamports, so sales lose money while SOL is above ${limits}: ${ADVICE}`;
  }
  const prices = low.map(([name, micros]) => `$${dollars(micros)} (${name})`).join(', ');
  return `a settlement costs $${dollars(fee)} at $${solPriceUsd} a SOL, more than the lowest prices, ${prices}: ${ADVICE}`;
}
