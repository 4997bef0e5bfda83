import { dollars } from './pricing.ts';

/** The statement to sign for one call from credit. The call may cost at most this many millionths of a dollar. */
export const spendStatement = (micros: number): string => `Spend ${dollars(micros)} USD of your credit on this call.`;

const MAX_WHOLE_DIGITS = 9;
const DECIMALS = 6;

function isDigits(text: string): boolean {
  for (const letter of text) if (letter < '0' || letter > '9') return false;
  return text !== '';
}

/** Decimal dollars in millionths; undefined for other text. Reads each character once. */
export function microsOf(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const [whole = '', decimals = '0', ...rest] = text.split('.', 3);
  const isAmount = rest.length === 0 && whole.length <= MAX_WHOLE_DIGITS && decimals.length <= DECIMALS;
  if (!isAmount || !isDigits(whole) || !isDigits(decimals)) return undefined;
  return Number(whole + decimals.padEnd(DECIMALS, '0'));
}

/** The highest price that a signed statement allows, in millionths of a dollar; undefined unless it begins with `Spend <dollars> USD`. */
export function mostMicrosOf(statement = ''): number | undefined {
  const [verb, amount = '', currency] = statement.split(' ', 3);
  return verb === 'Spend' && currency === 'USD' ? microsOf(amount) : undefined;
}
