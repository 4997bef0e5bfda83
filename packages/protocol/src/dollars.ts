/** How many units an amount of one dollar has. Amounts are millionths of a dollar, the atomic units of USDC. */
export const MICROS_PER_USD = 1_000_000;

/** Returns dollars in millionths. It rounds, because 0.57 * 1e6 is slightly below 570,000. */
export const microsOfUsd = (usd: number | string): number => Math.round(Number(usd) * MICROS_PER_USD);

/** Writes millionths as dollars with two to six decimals: `5` as `0.000005`. */
export function dollars(micros: number): string {
  const decimals = String(micros % MICROS_PER_USD)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${Math.floor(micros / MICROS_PER_USD)}.${decimals}`;
}

/** The same with its sign: `$0.000005`. */
export const dollarText = (micros: number): string => `$${dollars(micros)}`;

const MAX_WHOLE_DIGITS = 9;
const DECIMALS = 6;

function isDigits(text: string): boolean {
  for (const letter of text) if (letter < '0' || letter > '9') return false;
  return text !== '';
}

/** Returns decimal dollars in millionths; undefined for other text. Reads each character once. */
export function microsOf(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const [whole = '', decimals = '0', ...rest] = text.split('.', 3);
  const isAmount = rest.length === 0 && whole.length <= MAX_WHOLE_DIGITS && decimals.length <= DECIMALS;
  if (!isAmount || !isDigits(whole) || !isDigits(decimals)) return undefined;
  return Number(whole + decimals.padEnd(DECIMALS, '0'));
}
