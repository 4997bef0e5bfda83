import { GATEWAY, oneLine, providerIn, SHARED_TIMES } from '@asset-gateway/protocol/wire';
import { type ListedRoute, routesIn } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { errorOf, GatewayError } from './error.ts';
import { FREE_METHODS } from './methods.ts';

/** The age up to which a catalog counts as fresh, in milliseconds. */
const FRESH_MS = 1_000;
/** The most catalogs in memory. Clients use fewer providers. */
const MAX_CATALOGS = 100;
const MAX_NAME = 64;

interface CachedCatalog {
  readonly routes: readonly ListedRoute[];
  readonly at: number;
}

const catalogs = new WeakMap<Connection, Map<string | undefined, CachedCatalog>>();

function cachedCatalogsOf(connection: Connection): Map<string | undefined, CachedCatalog> {
  const kept = catalogs.get(connection) ?? new Map<string | undefined, CachedCatalog>();
  if (kept.size > MAX_CATALOGS) kept.clear();
  catalogs.set(connection, kept);
  return kept;
}

async function fetchCatalog(
  connection: Connection,
  deadline: Deadline,
  provider: string | undefined,
): Promise<unknown> {
  const url = new URL(FREE_METHODS.system?.catalog?.path ?? '', connection.base);
  if (provider !== undefined) url.searchParams.set('provider', provider);
  // Browsers have a cache. Cloudflare Workers have none and refuse the option.
  const init: RequestInit = 'location' in globalThis ? { cache: 'no-cache' } : {};
  const request = { url: url.href, method: 'GET', init } as const;
  const response = await connection.send(request, {}, deadline);
  if (!response.ok) throw errorOf(response, await response.text());
  return response.json().catch(() => null);
}

/** Whether an error says that the gateway has no such provider. */
const isUnknownProvider = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.code === 'invalid_provider_filter';

interface CatalogQuery {
  readonly provider?: string | undefined;
  readonly isAnew?: boolean | undefined;
}

/**
 * Returns the gateway's catalog of one provider or of all. It is at most ten minutes old, or fresh if `isAnew`. Throws
 * `invalid_provider_filter` for an unknown provider.
 */
async function catalogOf(
  connection: Connection,
  deadline: Deadline,
  { provider, isAnew = false }: CatalogQuery,
): Promise<readonly ListedRoute[]> {
  const known = cachedCatalogsOf(connection);
  const kept = known.get(provider);
  if (kept && performance.now() - kept.at < (isAnew ? FRESH_MS : SHARED_TIMES.answerMs)) return kept.routes;
  const { base, options } = connection;
  const body = options.catalog?.(deadline.signal, provider) ?? fetchCatalog(connection, deadline, provider);
  const routes = routesIn(await body);
  const message = `${base.origin} serves no catalog; nothing was signed`;
  if (!routes) throw new GatewayError('not_a_gateway', { message });
  known.set(provider, { routes, at: performance.now() });
  return routes;
}

/** Returns the catalog that lists a path: that of the provider in the path, else the whole one. */
export async function catalogFor(
  connection: Connection,
  deadline: Deadline,
  path: string,
  isAnew?: boolean,
): Promise<readonly ListedRoute[]> {
  const provider = providerIn(path);
  return catalogOf(connection, deadline, { provider, isAnew }).catch((error) => {
    if (provider === undefined || !isUnknownProvider(error)) throw error;
    return catalogOf(connection, deadline, { isAnew });
  });
}

/** The providers of our surfaces. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  tokens: ['tokens'],
  credit: [GATEWAY],
  rpc: ['alchemy', 'helius'],
  das: ['alchemy', 'helius'],
  wallet: ['alchemy', 'helius'],
};

/** Returns the routes of one of our surfaces or of an API. For other names, throws `not_served` with the known names. */
export async function routesOfSurface(
  connection: Connection,
  deadline: Deadline,
  surface: string,
  isAnew?: boolean,
): Promise<readonly ListedRoute[]> {
  const providers = Object.hasOwn(OURS, surface) ? (OURS[surface] ?? []) : [surface];
  const catalogs = providers.map((provider) => catalogOf(connection, deadline, { provider, isAnew }));
  const lists = await Promise.all(catalogs).catch((error) => {
    if (!isUnknownProvider(error)) throw error;
    const known = (error.issues ?? []).map(({ name, message }) => `${name}: ${message}`);
    const message = [`the gateway has no API ${oneLine(surface, MAX_NAME)}.`, ...known].join(' ');
    throw new GatewayError('not_served', { message });
  });
  return lists.flat();
}
