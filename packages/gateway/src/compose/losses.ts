import { ASSUMED_SOL_PRICE_USD, dollars, type Route, usualFeeMicros } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import type { ExactSetup } from '../payments/open.ts';

/** A sentence about the lowest price, if it does not cover its settlement in this process. */
export function lossNotice(
  routes: readonly Route[],
  exact: Pick<ExactSetup, 'priceOf'>,
  config: Config,
): string | undefined {
  const { facilitator, solPriceUsd = ASSUMED_SOL_PRICE_USD } = config.paid ?? {};
  if (facilitator?.kind !== 'in-process') return undefined;
  const calls = routes.filter(({ access, credit }) => access === 'exact' && credit !== 'sold').map(exact.priceOf);
  const { bundleMicros = Number.POSITIVE_INFINITY, bundlesMicros = [] } = config.credit ?? {};
  const lowest = Math.min(...calls, bundleMicros, ...bundlesMicros);
  const fee = usualFeeMicros(solPriceUsd);
  if (lowest >= fee) return undefined;
  return `a sale can lose money: the lowest price is $${dollars(lowest)}, and settling it costs $${dollars(fee)} at $${solPriceUsd} a SOL; raise SETTLEMENT_FEE_USD_MICROS, the prices in APIS_FILE or the bundles of credit`;
}
