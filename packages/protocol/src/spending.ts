import { dollars, microsOf } from './dollars.ts';

/** Returns the statement to sign for one call from credit. The call may cost at most this many millionths of a dollar. */
export const spendStatement = (micros: number): string => `Spend ${dollars(micros)} USD of your credit on this call.`;

/**
 * Returns the highest price that a signed statement allows, in millionths of a dollar; undefined unless it begins with `Spend <dollars>
 * USD`.
 */
export function mostMicrosOf(statement = ''): number | undefined {
  const [verb, amount = '', currency] = statement.split(' ', 3);
  return verb === 'Spend' && currency === 'USD' ? microsOf(amount) : undefined;
}
