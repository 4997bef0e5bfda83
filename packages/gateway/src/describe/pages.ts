import { dollars, everyRoute, priceMicros, RATES, routes } from '@asset-gateway/protocol';
import { clientMethods } from './client-methods.ts';
import { routesPage } from './markdown.ts';
import { openApi } from './openapi.ts';
import { published } from './schemas.ts';
import type { Service } from './service.ts';

/** The service with everything switched on, by its defaults. */
const EVERYTHING: Service = {
  name: 'asset-gateway',
  routes,
  priceUsd: (route) => dollars(priceMicros(route, { rates: RATES, surchargeMicros: 0 })),
};
const ORIGIN = 'http://localhost:8402';

/** The gateway's own rows for the console's list, as the catalog, which leaves them out, would say them. */
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
  return `// Made from the route table by \`npm run docs\`. Not written by hand.\nexport const SYSTEM_ROWS = [\n${rows.map((row) => `  ${row},\n`).join('')}];\n`;
}

/** The files that are kept in the repository and made from the table, by their path from its root. */
export const writtenPages = (): Readonly<Record<string, string>> => ({
  'docs/routes.md': routesPage(EVERYTHING),
  'packages/client/src/methods.ts': clientMethods(everyRoute, EVERYTHING.priceUsd),
  'packages/console/src/routes/system-rows.ts': systemRows(),
  'openapi.json': `${JSON.stringify(openApi(EVERYTHING, ORIGIN), null, 2)}\n`,
});
