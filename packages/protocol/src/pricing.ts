import { MICROS_PER_USD } from './dollars.ts';
import { PROVIDERS } from './providers.ts';
import type { Route } from './route.ts';

/** Each provider's price of a million units, in millionths of a dollar. */
export type Rates = Readonly<Record<string, number>>;

/** The operator's price of a route. */
export interface OwnPrice {
  /** The list price of a call in millionths of a dollar. */
  readonly micros: number;
  /** Whether the settlement fee is added. */
  readonly settlementFee: boolean;
}

/** Settings from which prices are computed. */
export interface Pricing {
  /** Each provider's price of a million units. */
  readonly rates: Rates;
  /** What is added to the price of a call with its own settlement, in millionths of a dollar. */
  readonly settlementFeeMicros: number;
  /** The operator's prices by route id. They replace computed prices. */
  readonly own?: ReadonlyMap<string, OwnPrice>;
}

/** The published rates. */
export const RATES: Rates = Object.fromEntries(Object.entries(PROVIDERS).map(([name, { rate }]) => [name, rate]));

/** The default prices of a gateway that settles payments itself. */
export const DEFAULT_PRICING = { rates: RATES, settlementFeeMicros: 4_000 } as const satisfies Pricing;

/** How many units a rate is the price of. */
const UNITS_PER_RATE = 1_000_000;

/** Returns the list price of one call, which credit pays, in millionths of a dollar (atomic units of USDC); 0 if free. */
export function listMicros(
  { id, units, provider }: Route,
  { rates, own }: Omit<Pricing, 'settlementFeeMicros'>,
): number {
  if (units === undefined) return 0;
  return own?.get(id)?.micros ?? Math.ceil((units * (rates[provider] ?? 0)) / UNITS_PER_RATE);
}

/** Returns the price of one call with a settlement of its own, in millionths of a dollar; 0 if free. */
export function priceMicros(route: Route, pricing: Pricing): number {
  const { own, settlementFeeMicros } = pricing;
  const hasFee = route.units !== undefined && own?.get(route.id)?.settlementFee !== false;
  return listMicros(route, pricing) + (hasFee ? settlementFeeMicros : 0);
}

/** The prices of a call in dollars. */
interface ShownPrices {
  /** The price with its own settlement. */
  readonly priceUsd: string;
  /** The price from credit; undefined if credit cannot pay for the call. */
  readonly creditPriceUsd?: string | undefined;
}

/** Returns prices for people: `$0.004005, or $0.000005 from credit`. `unit` follows the first price. */
export function priceText({ priceUsd, creditPriceUsd = priceUsd }: ShownPrices, unit = ''): string {
  return `$${priceUsd}${unit}${creditPriceUsd === priceUsd ? '' : `, or $${creditPriceUsd} from credit`}`;
}

/** The fee payer's usual cost of one settlement. */
export const USUAL_FEE_LAMPORTS = 10_001;

/** The dollars per SOL that price checks assume if no other price is known. */
export const ASSUMED_SOL_PRICE_USD = 250;

/** The smallest units of a SOL. */
export const LAMPORTS_PER_SOL = 1_000_000_000;

/** Returns the usual fee of one settlement in millionths of a dollar, rounded up. */
export const usualFeeMicros = (solPriceUsd = ASSUMED_SOL_PRICE_USD): number =>
  Math.ceil((USUAL_FEE_LAMPORTS * solPriceUsd * MICROS_PER_USD) / LAMPORTS_PER_SOL);
