import { ASSUMED_SOL_PRICE_USD, dollars, everyRoute, type Route, usualFeeMicros } from '@asset-gateway/protocol';
import { type CloseLater, openTogether } from '../closing.ts';
import type { Config } from '../config/config.ts';
import { createGateway } from '../gateway.ts';
import type { Meter } from '../metrics/meter.ts';
import type { ExactSetup } from '../payments/open.ts';
import { createMatch } from '../stages/match.ts';
import { type Dependencies, layFoundation } from './dependencies.ts';
import { bindEndpoints } from './endpoints.ts';
import { watchParts } from './gauges.ts';
import { openParts } from './parts.ts';
import { watchCovered } from './sales.ts';

/** Puts the gateway together. No other function knows every part. */
export const compose = (config: Config, dependencies: Dependencies) =>
  openTogether((closeLater) => assemble(config, dependencies, closeLater));

async function assemble(config: Config, dependencies: Dependencies, closeLater: CloseLater) {
  const foundation = layFoundation(config, dependencies);
  const { money, log, notice, onFailure, randomId, watchEveryMs } = foundation;
  const { paid, disabled } = config;
  const parts = await openParts(foundation, closeLater);
  const { service, exact, credit } = parts;
  const isDisabled = ({ id }: Route) => disabled.has(id);
  const gateway = createGateway({
    log,
    randomId,
    match: createMatch(bindEndpoints(foundation, parts), everyRoute.filter(isDisabled)),
    onFailure,
  });
  const losses = exact && paid && !foundation.isPlayMoney ? lossNotice(service.routes, exact, config) : undefined;
  if (losses !== undefined) notice(losses);
  if (credit && paid && money) closeLater(watchCovered(paid, money, watchEveryMs));
  return {
    gateway,
    /** Adds the metrics that are read from the parts at each scrape. */
    watch: (meter: Meter, isLogLost: () => boolean) => void closeLater(watchParts(meter, foundation, parts, isLogLost)),
  };
}

/** Returns a notice if the lowest price does not cover its settlement in this process; otherwise undefined. */
function lossNotice(routes: readonly Route[], exact: Pick<ExactSetup, 'priceOf'>, config: Config): string | undefined {
  const { facilitator, solPriceUsd = ASSUMED_SOL_PRICE_USD } = config.paid ?? {};
  if (facilitator?.kind !== 'in-process') return undefined;
  const calls = routes.filter(({ access, credit }) => access === 'exact' && credit !== 'sold').map(exact.priceOf);
  const { bundleMicros = Number.POSITIVE_INFINITY, bundlesMicros = [] } = config.credit ?? {};
  const lowest = Math.min(...calls, bundleMicros, ...bundlesMicros);
  const fee = usualFeeMicros(solPriceUsd);
  if (lowest >= fee) return undefined;
  return `a sale can lose money: the lowest price is $${dollars(lowest)}, and settling it costs $${dollars(fee)} at $${solPriceUsd} a SOL; raise SETTLEMENT_FEE_USD_MICROS, the prices in APIS_FILE or the bundles of credit`;
}
