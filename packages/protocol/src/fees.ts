/** What settling one payment costs its fee payer, as stock clients make it. */
export const USUAL_FEE_LAMPORTS = 10_001;

/** The same as people read it: to ask a locale would take a gateway a thirtieth of its start. */
export const USUAL_FEE_TEXT = `${Math.floor(USUAL_FEE_LAMPORTS / 1000)},${String(USUAL_FEE_LAMPORTS % 1000).padStart(3, '0')}`;

const LAMPORTS_PER_SOL = 1_000_000_000;
const MICROS = 1_000_000;

/** The usual fee in millionths of a dollar, rounded up. */
export const usualFeeMicros = (solPriceUsd: number): number =>
  Math.ceil((USUAL_FEE_LAMPORTS * solPriceUsd * MICROS) / LAMPORTS_PER_SOL);

/** The SOL price, in dollars and cents, above which the usual fee is more than a price in millionths of a dollar. */
export const breakEvenSolPrice = (priceMicros: number): string =>
  ((priceMicros * LAMPORTS_PER_SOL) / (USUAL_FEE_LAMPORTS * MICROS)).toFixed(2);
