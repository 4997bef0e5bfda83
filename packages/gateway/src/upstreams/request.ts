import type { Route } from '@asset-gateway/protocol';
import type { Input } from '../call.ts';

/** A request as it will be written to an upstream. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query, encoded. */
  readonly path: string;
  readonly body: string | undefined;
}

const encodeValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((item) => encodeURIComponent(String(item))).join(',')
    : encodeURIComponent(String(value));

function fillTemplate(template: string, values: Input['path']): string {
  return template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

/**
 * Builds the upstream request from validated values alone. The result is checked against the base once more:
 * whatever a value may hold, it can change neither the host nor the shape of the path.
 */
export function writeRequest(route: Route, input: Input, base: URL): UpstreamRequest {
  const { path, query, body } = route.upstream.forward(input);
  const pairs = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${encodeValue(value)}`);
  const pathname = base.pathname.replace(/\/$/, '') + fillTemplate(route.upstream.path, path);
  const url = new URL(pathname, base.origin);
  if (url.origin !== base.origin || url.pathname !== pathname) throw new Error(`unsafe upstream path for ${route.id}`);
  return {
    method: route.httpMethod,
    path: pairs.length > 0 ? `${pathname}?${pairs.join('&')}` : pathname,
    body: route.httpMethod === 'POST' ? JSON.stringify(body) : undefined,
  };
}
