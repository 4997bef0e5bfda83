import { examplePath, ownPath, type Service, servedRoutes } from './service.ts';

/** What x402 opens at an origin: URLs that answer an unpaid or unsigned request of their verb with a challenge. */
export function wellKnown(service: Service, origin: string) {
  const resources = servedRoutes(service).map((route) => `${origin}${examplePath(route)}`);
  return {
    version: 1,
    resources,
    openapi: `${origin}${ownPath(service, 'openapi')}`,
    catalog: `${origin}${ownPath(service, 'catalog')}`,
    llms: `${origin}${ownPath(service, 'llms')}`,
  };
}
