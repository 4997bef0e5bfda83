import { DEFAULT_PRICING, dollars, everyRoute, listMicros, priceMicros, routes } from '@asset-gateway/protocol';
import { alertsPage } from './alerts-page.ts';
import { clientMethods } from './client-methods.ts';
import { errorsPage } from './errors-page.ts';
import { openApi } from './openapi.ts';
import { routesPage } from './routes-page.ts';
import { published } from './schemas.ts';
import type { Service } from './service.ts';

/** The service at default settings. */
const USUAL: Service = {
  name: 'asset-gateway',
  routes,
  priceUsd: (route) => dollars(priceMicros(route, DEFAULT_PRICING)),
};

/** The same, with credit on. */
const EVERYTHING: Service = {
  ...USUAL,
  creditPriceUsd: (route) => dollars(listMicros(route, DEFAULT_PRICING)),
};
const ORIGIN = 'http://localhost:8402';

/** Returns the gateway's own rows for the console's list, in the catalog's format. The catalog itself omits them. */
function systemRows(): string {
  const own = routes.filter(({ surface }) => surface === 'system');
  const rows = own.map(({ method, httpMethod, path, description, input: { query }, example }) =>
    JSON.stringify({
      method,
      httpMethod,
      path,
      description,
      inputSchema: query ? published(query) : {},
      inputExample: example.query,
    }),
  );
  return `// Written by the build from the route table. Do not edit.\nexport const SYSTEM_ROWS = [\n${rows.map((row) => `  ${row},\n`).join('')}];\n`;
}

/** Returns the OpenAPI document of a gateway with every route at usual settings. Each release includes it as `openapi.json`. */
export const usualOpenApi = (): string => `${JSON.stringify(openApi(USUAL, ORIGIN), null, 2)}\n`;

/** Returns the repository's generated documents, by path. */
export const writtenPages = (): Readonly<Record<string, string>> => ({
  'docs/routes.md': routesPage(EVERYTHING),
  'docs/errors.md': errorsPage(),
  'docs/operating/alerts.md': alertsPage(),
});

/** Returns the sources that the build writes before it compiles, by path. */
export const writtenSources = (): Readonly<Record<string, string>> => ({
  'packages/client/src/methods.ts': clientMethods(everyRoute, EVERYTHING),
  'packages/console/src/routes/system-rows.ts': systemRows(),
});
