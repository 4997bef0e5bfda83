import type { Route } from './route.ts';

/**
 * The success body: `ok provider surface method result`, on paid routes `ok provider cluster surface method priceUsd result`, the upstream's JSON text spliced in unchanged,
 * so that numbers beyond 2^53 and the upstream's own formatting survive. The gateway's own routes have no envelope.
 */
export function envelope(route: Route, json: string, priceUsd?: string): string {
  if (route.surface === 'system') return json;
  const { provider, cluster, surface, method } = route;
  const head = cluster
    ? { ok: true, provider, cluster, surface, method, priceUsd }
    : { ok: true, provider, surface, method };
  return `${JSON.stringify(head).slice(0, -1)},"result":${json}}`;
}
