import { SHARED_TIMES } from '@asset-gateway/protocol/wire';
import { type ListedRoute, routesIn } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { errorOf, GatewayError } from './error.ts';
import { FREE_METHODS } from './methods.ts';

/** A catalog of five hundred operations fits. */
const MAX_CATALOG_BYTES = 8 * 1024 * 1024;
/** A catalog of this age counts as fresh. */
const FRESH_MS = 1_000;
const catalogs = new WeakMap<Connection, { readonly routes: readonly ListedRoute[]; readonly at: number }>();

/** The gateway's catalog, at most ten minutes old, or fresh if `isAnew`. */
export async function catalogOf(
  connection: Connection,
  deadline: Deadline,
  isAnew = false,
): Promise<readonly ListedRoute[]> {
  const kept = catalogs.get(connection);
  if (kept && performance.now() - kept.at < (isAnew ? FRESH_MS : SHARED_TIMES.answerMs)) return kept.routes;
  const { base, options } = connection;
  const url = new URL(FREE_METHODS.system?.catalog?.path ?? '', base).href;
  const fetched = async () => {
    const request = { url, method: 'GET', maxBytes: MAX_CATALOG_BYTES, isRevalidated: true } as const;
    const response = await connection.send(request, {}, deadline);
    if (!response.ok) throw errorOf(response, await response.text());
    return response.json().catch(() => null);
  };
  const routes = routesIn(await (options.catalog?.(deadline.signal) ?? fetched()));
  const message = `${base.origin} serves no catalog; nothing was signed`;
  if (!routes) throw new GatewayError('not_a_gateway', { message });
  catalogs.set(connection, { routes, at: performance.now() });
  return routes;
}
