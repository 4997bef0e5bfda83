import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '@asset-gateway/client';
import { type ListedRoute, routesIn } from '@asset-gateway/client/pay';
import { cacheFolder } from '../config.ts';
import { fetchJson } from '../fetch-json.ts';
import { CATALOG_PATH } from '../request.ts';
import { makeFolder, writeDurably } from './durable.ts';

const LIMITS = { timeoutMs: 30_000, maxBytes: 8 * 1024 * 1024 };

function readCached(file: string) {
  try {
    const cached = JSON.parse(readFileSync(file, 'utf8')) as { readonly etag?: unknown };
    const routes = routesIn(cached);
    return routes && typeof cached.etag === 'string' ? { etag: cached.etag, routes } : undefined;
  } catch {
    return undefined;
  }
}

function store(file: string, catalog: object): void {
  try {
    makeFolder(cacheFolder());
    writeDurably(file, JSON.stringify(catalog));
  } catch {
    // Without the cache, the next command downloads the catalog again.
  }
}

/** The catalog of a gateway, cached on disk and revalidated by ETag. */
export async function catalogOf(gateway: string, signal?: AbortSignal): Promise<readonly ListedRoute[]> {
  const { origin } = new URL(gateway);
  const name = createHash('sha256').update(origin).digest('hex').slice(0, 16);
  const file = join(cacheFolder(), `routes-${name}.json`);
  const cached = readCached(file);
  const headers: Record<string, string> = cached ? { 'If-None-Match': cached.etag } : {};
  const { response, body } = await fetchJson(new URL(CATALOG_PATH, origin), { headers }, { ...LIMITS, signal });
  if (response.status === 304 && cached) return cached.routes;
  const routes = response.ok ? routesIn(body) : undefined;
  if (!routes) throw new GatewayError('not_a_gateway', { message: `${origin} serves no catalog; nothing was signed` });
  const etag = response.headers.get('etag');
  if (etag) store(file, { etag, routes });
  return routes;
}
