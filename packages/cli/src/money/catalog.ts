import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError, type SentRequest } from '@asset-gateway/client';
import { CATALOG_PATH } from '../request.ts';
import { makeFolder, writeDurably } from './durable.ts';

/** What the catalog says of a route, as far as a terminal shows it. */
export interface CatalogRow {
  readonly httpMethod: string;
  readonly path: string;
  readonly priceUsd: string;
  readonly accessMode: string;
  readonly description: string;
}

interface Kept {
  readonly etag: string | null;
  readonly rows: readonly CatalogRow[];
}

const TIMEOUT_MS = 30_000;
const PRICE = /^\d{1,9}(?:\.\d{1,6})?$/;

const unreadable = (origin: string): GatewayError =>
  new GatewayError('not_a_gateway', { message: `${origin} shows no catalog; nothing was signed` });

function readKept(file: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

function keep(folder: string, file: string, kept: Kept): void {
  try {
    makeFolder(folder);
    writeDurably(file, JSON.stringify(kept));
  } catch {
    // It is read again the next time.
  }
}

function rowsIn(body: unknown): CatalogRow[] | undefined {
  const rows = (body as { routes?: unknown } | null)?.routes;
  if (!Array.isArray(rows)) return undefined;
  return rows.flatMap((row: Partial<CatalogRow> | null) => {
    const { httpMethod = '', path = '', priceUsd = '', accessMode = '', description = '' } = row ?? {};
    const members = { httpMethod, path, priceUsd, accessMode, description };
    return Object.values(members).every((member) => typeof member === 'string') ? [members] : [];
  });
}

/** The catalog of a gateway, kept in short and asked for again only where it has changed. */
export async function catalogOf(gateway: string, folder: string): Promise<readonly CatalogRow[]> {
  const { origin } = new URL(gateway);
  const name = createHash('sha256').update(origin).digest('hex').slice(0, 16);
  const file = join(folder, `catalog-${name}.json`);
  const kept = readKept(file);
  const response = await fetch(new URL(CATALOG_PATH, origin), {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: kept?.etag ? { 'If-None-Match': kept.etag } : {},
  });
  if (response.status === 304 && kept) return kept.rows;
  const rows = response.ok ? rowsIn(await response.json().catch(() => null)) : undefined;
  if (!rows) throw unreadable(origin);
  keep(folder, file, { etag: response.headers.get('etag'), rows });
  return rows;
}

const fits = (pattern: string, path: string): boolean => {
  const [expected, segments] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === segments.length && expected.every((each, at) => each.startsWith(':') || each === segments[at])
  );
};

/** Millionths of a dollar that a call costs by the catalog; nothing where it is not listed. */
export function listedMicros(rows: readonly CatalogRow[], { url, method }: SentRequest): number | undefined {
  const { pathname } = new URL(url);
  const row = rows.find(({ httpMethod, path }) => httpMethod === method && fits(path, pathname));
  const price = row && PRICE.test(row.priceUsd) ? Number(row.priceUsd) : undefined;
  return price === undefined ? undefined : Math.round(price * 1e6);
}
