import { below, losslessJson, nearest, oneLine, uint64Paths } from '@asset-gateway/protocol/wire';
import type { MethodRow } from './call.ts';
import type { ListedRoute } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { GatewayError } from './error.ts';
import type { Outgoing } from './exchange.ts';
import { routesOfSurface } from './fetch-catalog.ts';
import { callName, requestFor } from './listed-call.ts';
import { parseWhole } from './lossless-json.ts';
import { creditFor, urlOf } from './request.ts';
import type { CallSettings } from './settings.ts';

/** A call by its name in the gateway's catalog. */
export interface NamedCall {
  /** `<surface>.<method>` */
  readonly name: string;
  /** Values by parameter. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly settings: CallSettings;
}

/** A request, and the function that reads its answer. */
export interface PreparedCall {
  readonly outgoing: Outgoing;
  readonly row: MethodRow;
  /** Reads a body in place of the client's own reader. */
  readonly read?: (json: string, uint64: readonly string[]) => unknown;
}

const notServed = (message: string): GatewayError => new GatewayError('not_served', { message });

/**
 * Returns the route of a name on the chosen cluster. If no provider is chosen, the last provider that serves it: Helius for our own routes.
 */
function listedFor(routes: readonly ListedRoute[], { name, settings }: NamedCall): ListedRoute {
  const { cluster = 'mainnet', provider } = settings;
  const shown = oneLine(name, 64);
  const rows = routes.filter((route) => callName(route) === name);
  if (rows.length === 0) {
    const near = nearest(name, [...new Set(routes.map(callName))]);
    throw notServed(`the gateway's catalog has no ${shown}${near === undefined ? '' : `; the nearest is ${near}`}`);
  }
  // An operator's API is its own provider.
  const isBy = (row: ListedRoute): boolean =>
    !provider || row.cluster === '' || ['gateway', row.surface, provider].includes(row.provider);
  const found = rows.findLast((row) => (row.cluster === '' || row.cluster === cluster) && isBy(row));
  if (found) return found;
  const served = rows.map((row) => `${row.cluster}/${row.provider}`).join(', ');
  throw notServed(`${shown} is not served ${provider ? `by ${provider} ` : ''}on ${cluster}, but by ${served}`);
}

function prepare(routes: readonly ListedRoute[], call: NamedCall, base: URL): PreparedCall {
  const route = listedFor(routes, call);
  const { httpMethod: method, accessMode: access, outputSchema } = route;
  const buys = route.credit === 'sold' ? creditFor(call.values.usd) : undefined;
  const cluster = route.cluster || undefined;
  const { path, body } = requestFor(route, call.values);
  const request = { url: urlOf(path, base).href, method, ...(body !== undefined && { body: losslessJson(body) }) };
  const result = below(outputSchema, 'properties', 'result');
  return {
    outgoing: { name: `${call.name} ${cluster} ${route.provider}`, request, access, cluster, buys },
    row: { path, access, uint64: uint64Paths(result) },
    read: parseWhole,
  };
}

/**
 * Returns the request of a named call. If the catalog does not allow it, throws before anything is sent. Reads an outdated catalog again
 * first.
 */
export async function namedCall(connection: Connection, deadline: Deadline, call: NamedCall): Promise<PreparedCall> {
  const [surface = ''] = call.name.split('.', 1);
  const routes = await routesOfSurface(connection, deadline, surface);
  try {
    return prepare(routes, call, connection.base);
  } catch {
    return prepare(await routesOfSurface(connection, deadline, surface, true), call, connection.base);
  }
}
