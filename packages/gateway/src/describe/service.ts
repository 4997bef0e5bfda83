import { createHash } from 'node:crypto';
import type { Route } from '@asset-gateway/protocol';

/** What every view is a view of. */
export interface Service {
  readonly name: string;
  /** The enabled rows, the gateway's own among them. */
  readonly routes: readonly Route[];
  /** Dollars a call; `0.00` for what is free. */
  readonly priceUsd: (route: Route) => string;
  /** Whether a 429 may be for a share of the budget. */
  readonly hasShares?: boolean;
  /** Whether a wallet or an address may be blocked. */
  readonly hasBlocked?: boolean;
}

/** The rows that somebody else answers: what the service is there for. */
export const servedRoutes = ({ routes }: Service): Route[] => routes.filter(({ surface }) => surface !== 'system');

/** The row of one of the gateway's own answers. */
export function ownRoute({ routes }: Service, method: string): Route {
  const own = routes.find((route) => route.surface === 'system' && route.method === method);
  if (!own) throw new Error(`the table has no answer named ${method}`);
  return own;
}

/** Where one of the gateway's own answers is. */
export const ownPath = (service: Service, method: string): string => ownRoute(service, method).path;

const encoded = (value: unknown): string => encodeURIComponent(String(value)).replaceAll('%2C', ',');

/** A row's path with the values of its example. */
export const examplePath = ({ path, example }: Route): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encoded(example.path?.[name]));

/** A row's path and query with the values of its example. */
export function exampleTarget(route: Route): string {
  const pairs = Object.entries(route.example.query ?? {}).map(([name, value]) => `${name}=${encoded(value)}`);
  return pairs.length > 0 ? `${examplePath(route)}?${pairs.join('&')}` : examplePath(route);
}

/** A public document: its text, and what caches need to know about it. */
export interface Document {
  readonly json: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A text that anybody may keep for so long, and then ask whether it has changed. */
export function document(text: string, maxAgeSeconds: number): Document {
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { json: text, headers: { ETag: `"${tag}"`, 'Cache-Control': `public, max-age=${maxAgeSeconds}` } };
}

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
