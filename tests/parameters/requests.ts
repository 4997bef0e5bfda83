import { type Route, routes, type Values } from '@asset-gateway/protocol';
import { exampleOf } from '../http/targets.ts';
import type { Ask } from '../upstream/exchange.ts';

/** The rows behind the sign-in gate. */
export const signedRoutes: readonly Route[] = routes.filter(({ access }) => access === 'siwx');

/** One parameter in the query of a row. */
export interface Parameter {
  readonly route: Route;
  readonly name: string;
  readonly schema: {
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly items?: { readonly enum?: readonly string[] };
  };
}

export const parameters: readonly Parameter[] = signedRoutes.flatMap((route) =>
  Object.entries(route.input.query?.properties ?? {}).map(([name, schema]) => ({ route, name, schema })),
);

/** Rules that say how many of their parameters may be there: one is tried without the others. */
const EXCLUSIVE = ['exactlyOne', 'combinedCount'];

/** The request of a row's example without this parameter, and without those that it excludes. */
export function requestWithout({ route, name }: Parameter): Ask {
  const rules = route.rules.filter((rule) => EXCLUSIVE.includes(rule.name) && rule.parameters.includes(name));
  const left = [name, ...rules.flatMap((rule) => rule.parameters)];
  const query = Object.entries(route.example.query ?? {}).filter(([key]) => !left.includes(key));
  return requestOf(route, { query: Object.fromEntries(query) as Values });
}

/** A request of a row; default: its example. */
export function requestOf(route: Route, other: Route['example'] = {}): Ask {
  const { target, init } = exampleOf(route, other);
  return { target, ...init };
}
