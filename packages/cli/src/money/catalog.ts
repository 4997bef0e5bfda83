import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '@asset-gateway/client';
import { type ListedRoute, routesIn } from '@asset-gateway/client/pay';
import { fetchJson } from '../fetch-json.ts';
import { CATALOG_PATH } from '../request.ts';
import { makeFolder, writeDurably } from './durable.ts';

interface CachedCatalog {
  readonly etag: string;
  readonly routes: readonly ListedRoute[];
}

const LIMITS = { timeoutMs: 30_000, maxBytes: 8 * 1024 * 1024 };

function readCached(file: string): CachedCatalog | undefined {
  try {
    const cached = JSON.parse(readFileSync(file, 'utf8')) as Partial<CachedCatalog>;
    const routes = routesIn(cached);
    return routes && typeof cached.etag === 'string' ? { etag: cached.etag, routes } : undefined;
  } catch {
    return undefined;
  }
}

function store(folder: string, file: string, catalog: CachedCatalog): void {
  try {
    makeFolder(folder);
    writeDurably(file, JSON.stringify(catalog));
  } catch {
    // Without the cache, the next command downloads the catalog again.
  }
}

/** The catalog of a gateway, cached in a folder and revalidated by ETag. */
export async function catalogOf(
  gateway: string,
  folder: string,
  signal?: AbortSignal,
): Promise<readonly ListedRoute[]> {
  const { origin } = new URL(gateway);
  const name = createHash('sha256').update(origin).digest('hex').slice(0, 16);
  const file = join(folder, `routes-${name}.json`);
  const cached = readCached(file);
  const headers: Record<string, string> = cached ? { 'If-None-Match': cached.etag } : {};
  const { response, body } = await fetchJson(new URL(CATALOG_PATH, origin), { headers }, { ...LIMITS, signal });
  if (response.status === 304 && cached) return cached.routes;
  const routes = response.ok ? routesIn(body) : undefined;
  if (!routes) throw new GatewayError('not_a_gateway', { message: `${origin} serves no catalog; nothing was signed` });
  const etag = response.headers.get('etag');
  if (etag) store(folder, file, { etag, routes });
  return routes;
}
