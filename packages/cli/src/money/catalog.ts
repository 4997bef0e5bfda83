import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '@asset-gateway/client';
import { type ListedRoute, routesIn } from '@asset-gateway/client/pay';
import { fetchJson } from '../fetch-json.ts';
import { CATALOG_PATH } from '../request.ts';
import { makeFolder, writeDurably } from './durable.ts';

interface Kept {
  readonly etag: string;
  readonly routes: readonly ListedRoute[];
}

const LIMITS = { timeoutMs: 30_000, maxBytes: 1_048_576 };

function readKept(file: string): Kept | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Partial<Kept>;
    const routes = routesIn(kept);
    return routes && typeof kept.etag === 'string' ? { etag: kept.etag, routes } : undefined;
  } catch {
    return undefined;
  }
}

function keep(folder: string, file: string, kept: Kept): void {
  try {
    makeFolder(folder);
    writeDurably(file, JSON.stringify(kept));
  } catch {
    // The next command reads the catalog again.
  }
}

/** The routes in the catalog of a gateway, kept in a folder and sent again only if they have changed. */
export async function catalogOf(
  gateway: string,
  folder: string,
  signal?: AbortSignal,
): Promise<readonly ListedRoute[]> {
  const { origin } = new URL(gateway);
  const name = createHash('sha256').update(origin).digest('hex').slice(0, 16);
  const file = join(folder, `catalog-${name}.json`);
  const kept = readKept(file);
  const headers: Record<string, string> = kept ? { 'If-None-Match': kept.etag } : {};
  const { response, body } = await fetchJson(new URL(CATALOG_PATH, origin), { headers }, { ...LIMITS, signal });
  if (response.status === 304 && kept) return kept.routes;
  const routes = response.ok ? routesIn(body) : undefined;
  if (!routes) throw new GatewayError('not_a_gateway', { message: `${origin} shows no catalog; nothing was signed` });
  const etag = response.headers.get('etag');
  if (etag) keep(folder, file, { etag, routes });
  return routes;
}
