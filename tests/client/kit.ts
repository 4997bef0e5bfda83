import type { Call, GatewayClient } from '@asset-gateway/client';
import type { Route, Surface, UpstreamProvider } from '@asset-gateway/protocol';

/** The arguments of a row's example. */
export function argumentsOf({ example: { path = {}, query, body }, credit }: Route): readonly unknown[] {
  if (credit === 'sold') return [];
  const params: unknown = body?.params;
  if (Array.isArray(params)) return params;
  const object = query ?? params ?? body;
  return [...Object.values(path), ...(object === undefined ? [] : [object])];
}

/** The method name of a row. */
export const methodNameOf = ({ id }: Route): string => id.slice(id.lastIndexOf('.') + 1);

/** Calls the method of a row on the row's cluster and provider. */
export function callRow(client: GatewayClient, row: Route, values = argumentsOf(row)): Call<unknown> {
  const { surface, cluster, provider } = row;
  const there = cluster
    ? client.with({ cluster, ...(provider !== 'gateway' && { provider: provider as UpstreamProvider }) })
    : client;
  const methods = there[surface as Surface] as unknown as Record<
    string,
    (...values: readonly unknown[]) => Call<unknown>
  >;
  const method = methods[methodNameOf(row)];
  if (!method) throw new Error(`no method for ${row.id}`);
  return method(...values);
}
