import { GatewayError } from './error.ts';
import type { MethodRow } from './method-row.ts';
import type { MethodCall, Place } from './request.ts';

function buysOf({ takes }: MethodRow, [amount]: readonly unknown[]): Pick<Place, 'buys'> {
  if (takes !== 'amount') return {};
  const usd = (amount as { usd?: number } | undefined)?.usd;
  return { buys: usd === undefined ? 'credit' : { micros: Math.round(usd * 1e6) } };
}

/** Who serves a paid method of those that were chosen; the last one of the table where nobody was, which is Helius. */
export function placeOf(
  row: MethodRow,
  { name, values, settings: { cluster = 'mainnet', provider } }: MethodCall,
): Place {
  const { served = [] } = row;
  const found = served
    .map((each) => each.split('/'))
    .findLast((each) => each[0] === cluster && (!provider || !each[1] || each[1] === provider));
  if (found) return { cluster: found[0], provider: found[1], ...buysOf(row, values) };
  const message = `${name} is not served ${provider ? `by ${provider} ` : ''}on ${cluster}, but by ${served.join(', ')}`;
  throw new GatewayError('not_served', { message });
}
