import { PROVIDERS } from './providers.ts';
import type { Route } from './route.ts';

/** A provider's price of a million units, in millionths of a dollar. */
export type Rates = Readonly<Record<string, number>>;

/** How prices are computed. */
export interface Pricing {
  readonly rates: Rates;
  /** Added to every computed price, in millionths of a dollar. */
  readonly surchargeMicros: number;
  /** The operator's prices by route id, in millionths of a dollar; they replace computed ones. */
  readonly own?: ReadonlyMap<string, number>;
}

/** The published rates. */
export const RATES: Rates = Object.fromEntries(Object.entries(PROVIDERS).map(([name, { rate }]) => [name, rate]));

const MICROS = 1_000_000;

/** The price of one call in millionths of a dollar, the atomic units of USDC; 0 if free. */
export function priceMicros({ id, units, provider }: Route, { rates, surchargeMicros, own }: Pricing): number {
  if (units === undefined) return 0;
  return own?.get(id) ?? Math.ceil((units * (rates[provider] ?? 0)) / MICROS) + surchargeMicros;
}

/** `5` as `0.000005`: dollars with two to six decimals. */
export function dollars(micros: number): string {
  const decimals = String(micros % MICROS)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${Math.floor(micros / MICROS)}.${decimals}`;
}

/** The usual cost of one settlement for the fee payer. */
export const USUAL_FEE_LAMPORTS = 10_001;

/** The same with a thousands separator; toLocaleString would add a thirtieth to the gateway's start time. */
export const USUAL_FEE_TEXT = `${Math.floor(USUAL_FEE_LAMPORTS / 1000)},${String(USUAL_FEE_LAMPORTS % 1000).padStart(3, '0')}`;

const LAMPORTS_PER_SOL = 1_000_000_000;

/** The usual fee in millionths of a dollar, rounded up. */
export const usualFeeMicros = (solPriceUsd: number): number =>
  Math.ceil((USUAL_FEE_LAMPORTS * solPriceUsd * MICROS) / LAMPORTS_PER_SOL);

/** The SOL price in dollars above which the usual fee exceeds a price in millionths of a dollar. */
export const breakEvenSolPrice = (priceMicros: number): string =>
  ((priceMicros * LAMPORTS_PER_SOL) / (USUAL_FEE_LAMPORTS * MICROS)).toFixed(2);
