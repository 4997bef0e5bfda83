import type { Config } from '../config/config.ts';
import { chainAnswer } from '../console/chain.ts';
import { consoleFolder, consolePages, openConsoleFiles } from '../console/files.ts';
import { ownPath, type Service } from '../describe/service.ts';
import { Chain } from '../payments/facilitator/chain.ts';
import type { OwnRoute } from '../upstreams/upstream.ts';

/** The rows of the console, and the connections that they hold. */
export interface Console {
  readonly rows: readonly OwnRoute[];
  close(): Promise<void>;
}

const NOT_THERE =
  'CONSOLE=on, but its files are not there: `/` is 404. Install @asset-gateway/console, or set CONSOLE=off';
const NONE: Console = { rows: [], close: async () => undefined };
/** Of their own, so that nothing that pages ask for keeps a settlement waiting. */
const CONNECTIONS = 2;

/** Where the documents are, for programs that ask at the root. */
const indexOf = (service: Service): string =>
  JSON.stringify({
    ok: true,
    service: service.name,
    catalog: ownPath(service, 'catalog'),
    openapi: ownPath(service, 'openapi'),
    x402: ownPath(service, 'wellKnown'),
    llms: ownPath(service, 'llms'),
  });

/** What pages need beside the gateway's own routes; nothing of it where the console is switched off, or not installed. */
export function openConsole(config: Config, service: Service, notice: (message: string) => void): Console {
  if (!config.console) return NONE;
  const folder = consoleFolder();
  if (folder === undefined) {
    notice(NOT_THERE);
    return NONE;
  }
  const urls = Object.entries(config.paid?.solanaRpcUrls ?? {});
  const open = (url: string) => ({ payments: new Chain(url, CONNECTIONS), balances: new Chain(url, CONNECTIONS) });
  const chains = Object.fromEntries(urls.map(([cluster, url]) => [cluster, open(url)]));
  return {
    rows: consolePages(
      openConsoleFiles(folder),
      indexOf(service),
      chainAnswer(chains, () => performance.now()),
    ),
    async close() {
      await Promise.all(
        Object.values(chains).flatMap(({ payments, balances }) => [payments.close(), balances.close()]),
      );
    },
  };
}
