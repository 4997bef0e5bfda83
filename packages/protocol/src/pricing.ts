import { PROVIDERS } from './providers.ts';
import type { Route } from './route.ts';

/** A provider's price of a million units, in millionths of a dollar. */
export type Rates = Readonly<Record<string, number>>;

/** A price that the operator has set, in millionths of a dollar. */
export interface OwnPrice {
  /** The list price of a call. */
  readonly micros: number;
  /** Whether the settlement fee is added to it. */
  readonly settlementFee: boolean;
}

/** How prices are computed. */
export interface Pricing {
  /** The providers' prices of a million units. */
  readonly rates: Rates;
  /** Added to the price of a call that is settled by itself, in millionths of a dollar. */
  readonly settlementFeeMicros: number;
  /** The operator's prices by route id; they replace computed ones. */
  readonly own?: ReadonlyMap<string, OwnPrice>;
}

/** The published rates. */
export const RATES: Rates = Object.fromEntries(Object.entries(PROVIDERS).map(([name, { rate }]) => [name, rate]));

/** The prices of a gateway that settles payments itself, without settings of its operator. */
export const DEFAULT_PRICING = { rates: RATES, settlementFeeMicros: 4_000 } as const satisfies Pricing;

const MICROS = 1_000_000;

/** The list price of one call, which it costs from credit, in millionths of a dollar, the atomic units of USDC; 0 if free. */
export function listMicros(
  { id, units, provider }: Route,
  { rates, own }: Omit<Pricing, 'settlementFeeMicros'>,
): number {
  if (units === undefined) return 0;
  return own?.get(id)?.micros ?? Math.ceil((units * (rates[provider] ?? 0)) / MICROS);
}

/** The price of one call that is settled by itself, in millionths of a dollar; 0 if free. */
export function priceMicros(route: Route, pricing: Pricing): number {
  const { own, settlementFeeMicros } = pricing;
  const hasFee = route.units !== undefined && own?.get(route.id)?.settlementFee !== false;
  return listMicros(route, pricing) + (hasFee ? settlementFeeMicros : 0);
}

/** `5` as `0.000005`: dollars with two to six decimals. */
export function dollars(micros: number): string {
  const decimals = String(micros % MICROS)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${Math.floor(micros / MICROS)}.${decimals}`;
}

/** The prices of a call in dollars. */
interface ShownPrices {
  /** Settled by itself. */
  readonly priceUsd: string;
  /** From credit; undefined if credit cannot pay for it. */
  readonly creditPriceUsd?: string | undefined;
}

/** Prices as people read them: `$0.004005, or $0.000005 from credit`. `unit` follows the first one. */
export function priceText({ priceUsd, creditPriceUsd = priceUsd }: ShownPrices, unit = ''): string {
  return `$${priceUsd}${unit}${creditPriceUsd === priceUsd ? '' : `, or $${creditPriceUsd} from credit`}`;
}

/** The usual cost of one settlement for the fee payer. */
export const USUAL_FEE_LAMPORTS = 10_001;

/** A price of SOL in dollars that checks of prices assume if no other is known. */
export const ASSUMED_SOL_PRICE_USD = 250;

const LAMPORTS_PER_SOL = 1_000_000_000;

/** The usual fee in millionths of a dollar, rounded up. */
export const usualFeeMicros = (solPriceUsd = ASSUMED_SOL_PRICE_USD): number =>
  Math.ceil((USUAL_FEE_LAMPORTS * solPriceUsd * MICROS) / LAMPORTS_PER_SOL);
