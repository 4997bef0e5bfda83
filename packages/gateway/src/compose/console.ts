import type { Config } from '../config/config.ts';
import { chainAnswer } from '../console/chain.ts';
import { consoleFolder, consolePages, openConsoleFiles } from '../console/files.ts';
import { ownPath, type Service } from '../describe/service.ts';
import { Chain } from '../payments/facilitator/chain.ts';

const MISSING = 'CONSOLE=on, but its files are missing: `/` is 404. Install @asset-gateway/console, or set CONSOLE=off';
const NONE = { rows: [], close: async () => undefined };
/** Separate connections, so that the console never delays a settlement. */
const CONNECTIONS = 2;

/** The paths of the documents, and whether answers are cached for all users, for programs that request the root. */
const indexOf = (service: Service, { cache }: Config): string =>
  JSON.stringify({
    ok: true,
    service: service.name,
    responseCache: cache !== undefined,
    catalog: ownPath(service, 'catalog'),
    openapi: ownPath(service, 'openapi'),
    x402: ownPath(service, 'wellKnown'),
    llms: ownPath(service, 'llms'),
  });

/** Opens the console's routes; none if it is off or not installed. */
export function openConsole(config: Config, service: Service, notice: (message: string) => void) {
  if (!config.console) return NONE;
  const folder = consoleFolder();
  if (folder === undefined) {
    notice(MISSING);
    return NONE;
  }
  const opened: Chain[] = [];
  const open = (url: string): Chain => {
    const chain = new Chain(url, CONNECTIONS);
    opened.push(chain);
    return chain;
  };
  const urls = Object.entries(config.paid?.solanaRpcUrls ?? {});
  const chains = Object.fromEntries(
    urls.map(([cluster, url]) => [cluster, { payments: open(url), balances: open(url) }]),
  );
  const chain = chainAnswer(chains, () => performance.now());
  return {
    rows: consolePages(openConsoleFiles(folder), indexOf(service, config), chain),
    async close() {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}
