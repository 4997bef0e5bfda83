import type { Config } from '../config/config.ts';
import { consoleFolder, openConsoleFiles } from '../console/files.ts';
import { consolePages } from '../console/pages.ts';
import { ownPath, type Service } from '../describe/service.ts';
import type { OwnRoute } from '../upstreams/self.ts';

const NOT_THERE =
  'CONSOLE=on, but its files are not there: `/` is 404. Install @asset-gateway/console, or set CONSOLE=off';

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

/** The rows of the console; none where it is switched off, or not installed. */
export function openConsole(config: Config, service: Service, notice: (message: string) => void): OwnRoute[] {
  if (!config.console) return [];
  const folder = consoleFolder();
  if (folder !== undefined) return consolePages(openConsoleFiles(folder), indexOf(service));
  notice(NOT_THERE);
  return [];
}
