import { dollars, everyRoute, priceMicros, RATES, routes } from '@asset-gateway/protocol';
import { clientMethods } from './client-methods.ts';
import { routesPage } from './markdown.ts';
import { openApi } from './openapi.ts';
import type { Service } from './service.ts';

/** The service with everything switched on, by its defaults. */
const EVERYTHING: Service = {
  name: 'asset-gateway',
  routes,
  priceUsd: (route) => dollars(priceMicros(route, { rates: RATES, surchargeMicros: 0 })),
};
const ORIGIN = 'http://localhost:8402';

/** The files that are kept in the repository and made from the table, by their path from its root. */
export const writtenPages = (): Readonly<Record<string, string>> => ({
  'docs/routes.md': routesPage(EVERYTHING),
  'packages/client/src/methods.ts': clientMethods(everyRoute, EVERYTHING.priceUsd),
  'openapi.json': `${JSON.stringify(openApi(EVERYTHING, ORIGIN), null, 2)}\n`,
});
