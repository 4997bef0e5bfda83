import type { Route } from './route.ts';

/**
 * The success body: `ok provider surface method result`, the upstream's JSON text spliced in unchanged,
 * so that numbers beyond 2^53 and the upstream's own formatting survive. The gateway's own routes have no envelope.
 */
export function envelope(route: Route, json: string): string {
  if (route.surface === 'system') return json;
  const head = { ok: true, provider: route.provider, surface: route.surface, method: route.method };
  return `${JSON.stringify(head).slice(0, -1)},"result":${json}}`;
}
