import type { Route, Values } from '@asset-gateway/protocol';

/** A valid request of a row. */
export interface Example {
  readonly target: string;
  readonly init: { readonly method: string; readonly body?: string; readonly headers: Record<string, string> };
}

const queryOf = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');

/** The request of a row's example, with some values replaced. */
export function exampleOf({ path, httpMethod, example }: Route, other: Route['example'] = {}): Example {
  const { path: parameters = {}, query = {}, body } = { ...example, ...other };
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(parameters[name])));
  const target = Object.keys(query).length > 0 ? `${filled}?${queryOf(query)}` : filled;
  if (httpMethod === 'GET') return { target, init: { method: 'GET', headers: {} } };
  return {
    target,
    init: { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } },
  };
}
