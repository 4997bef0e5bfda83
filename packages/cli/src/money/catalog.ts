import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorOf, GatewayError } from '@asset-gateway/client';
import { type ListedRoute, providersIn, routesIn } from '@asset-gateway/client/pay';
import { attempt, below, MAX_READ_BYTES, objectAt, type UpstreamProvider } from '@asset-gateway/protocol';
import { cacheFolder } from '../config.ts';
import { fetchJson } from '../fetch-json.ts';
import { CATALOG_PATH } from '../request.ts';
import { makeFolder, writeDurably } from './durable.ts';

/** The provider whose catalog is fetched first. Every gateway knows it, with or without routes. */
const FIRST: UpstreamProvider = 'tokens';
const UNKNOWN = 'invalid_provider_filter';
const LIMITS = { timeoutMs: 30_000, maxBytes: MAX_READ_BYTES };

/** The parts of a catalog that commands read. */
interface Catalog {
  readonly routes: readonly ListedRoute[];
  /** The names of all providers with routes. */
  readonly providers: readonly string[];
}

function catalogIn(body: unknown): Catalog | undefined {
  const routes = routesIn(body);
  return routes && { routes, providers: providersIn(body) };
}

function readCached(file: string) {
  const { etag, body } = objectAt(attempt(() => JSON.parse(readFileSync(file, 'utf8')), undefined));
  const catalog = catalogIn(body);
  return catalog && typeof etag === 'string' ? { etag, catalog } : undefined;
}

function store(file: string, etag: string, { routes, providers }: Catalog): void {
  try {
    makeFolder(cacheFolder());
    const categories = { providers: providers.map((id) => ({ id })) };
    writeDurably(file, JSON.stringify({ etag, body: { routes, categories } }));
  } catch {
    // Without the cache, the next command downloads the catalog again.
  }
}

interface Asked {
  readonly provider?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Returns one catalog of a gateway. It is cached on disk and revalidated by ETag. */
async function fetchCatalog(gateway: string, { provider, signal }: Asked): Promise<Catalog> {
  const { origin } = new URL(gateway);
  const url = new URL(CATALOG_PATH, origin);
  if (provider !== undefined) url.searchParams.set('provider', provider);
  const name = createHash('sha256').update(url.href).digest('hex').slice(0, 16);
  const file = join(cacheFolder(), `routes-${name}.json`);
  const cached = readCached(file);
  const headers: Record<string, string> = cached ? { 'If-None-Match': cached.etag } : {};
  const { response, body } = await fetchJson(url, { headers }, { ...LIMITS, signal });
  if (response.status === 304 && cached) return cached.catalog;
  if (below(body, 'error') === UNKNOWN) throw errorOf(response, JSON.stringify(body));
  const catalog = response.ok ? catalogIn(body) : undefined;
  if (!catalog) throw new GatewayError('not_a_gateway', { message: `${origin} serves no catalog; nothing was signed` });
  const etag = response.headers.get('etag');
  if (etag) store(file, etag, catalog);
  return catalog;
}

/** Returns the routes of a gateway's provider. Throws `invalid_provider_filter` for an unknown one. */
export const catalogOf = async (gateway: string, asked: Asked): Promise<readonly ListedRoute[]> =>
  (await fetchCatalog(gateway, asked)).routes;

/** Returns the routes of all providers. Fetches one catalog per provider, because a single one may be longer than a client reads. */
export async function wholeCatalog(gateway: string): Promise<readonly ListedRoute[]> {
  try {
    // Each catalog names all providers.
    const { routes, providers } = await fetchCatalog(gateway, { provider: FIRST });
    const others = providers.filter((provider) => provider !== FIRST);
    const lists = await Promise.all(others.map((provider) => catalogOf(gateway, { provider })));
    return [...routes, ...lists.flat()];
  } catch (error) {
    // Other gateways may lack this filter.
    if (!(error instanceof GatewayError && error.code === UNKNOWN)) throw error;
    return catalogOf(gateway, {});
  }
}
