import { faucetRoute } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import { chainAnswer } from '../console/chain.ts';
import { consolePages, openConsoleFiles } from '../console/files.ts';
import { ownPath, type Service } from '../describe/service.ts';
import { Chain } from '../payments/facilitator/chain.ts';
import type { OwnRoute } from '../upstreams/upstream.ts';
import type { Foundation } from './dependencies.ts';

const MISSING = 'CONSOLE=on, but its files are missing: `/` is 404. Install @asset-gateway/console, or set CONSOLE=off';
const NONE = { rows: [], close: async () => undefined };
/** The number of connections of each kind. The console has its own, so that it never delays a settlement. */
const CONNECTIONS = 2;

/**
 * Returns the JSON index: the paths of the documents, for programs that request `/`. The page also reads there whether answers are cached
 * for all users, whether there is a faucet, whether payments have receipts, and on which clusters it can read balances.
 */
const indexOf = (service: Service, { cache, paid, receipts }: Config, ownRoutes: readonly OwnRoute[]): string =>
  JSON.stringify({
    ok: true,
    service: service.name,
    responseCache: cache !== undefined,
    sandbox: ownRoutes.some(({ route }) => route === faucetRoute),
    receipts: receipts !== undefined,
    clusters: Object.keys(paid?.solanaRpcUrls ?? {}),
    catalog: ownPath(service, 'catalog'),
    openapi: ownPath(service, 'openapi'),
    x402: ownPath(service, 'wellKnown'),
    llms: ownPath(service, 'llms'),
  });

/** Opens the console's routes; none if it is off or not installed. */
export function openConsole(service: Service, { config, notice, ownRoutes = [] }: Foundation) {
  if (!config.console) return NONE;
  const files = openConsoleFiles();
  if (!files) {
    notice(MISSING);
    return NONE;
  }
  const chains = Object.entries(config.paid?.solanaRpcUrls ?? {}).map(([cluster, url]) => {
    return [cluster, { payments: new Chain(url, CONNECTIONS), balances: new Chain(url, CONNECTIONS) }] as const;
  });
  const chain = chainAnswer(Object.fromEntries(chains), () => performance.now());
  return {
    rows: consolePages(files, indexOf(service, config, ownRoutes), chain),
    async close() {
      await Promise.all(chains.flatMap(([, { payments, balances }]) => [payments.close(), balances.close()]));
    },
  };
}
