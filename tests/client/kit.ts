import { type Call, type ClientOptions, createClient, type GatewayClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { type PayerOptions, payWith } from '@asset-gateway/client/pay';
import { NETWORKS, type Route, type Surface, type UpstreamProvider } from '@asset-gateway/protocol';
import type { PaidGateway } from '../kit/test-gateway.ts';

/** A client with a funded wallet and these payer options, and its payments on the chains. */
export async function openCustomer(
  { url, solana: { mainnet, devnet } }: Pick<PaidGateway, 'url' | 'solana'>,
  options: Partial<PayerOptions> = {},
  keypair = newKeypair(),
  more: Pick<ClientOptions, 'nonceTimeoutMs'> = {},
) {
  const signer = signerFromBytes(keypair);
  for (const chain of [mainnet, devnet]) await chain.fundUsdc(signer.address, 10_000_000n);
  const rpcUrl = (network: string) => (network === NETWORKS.mainnet ? mainnet : devnet).url;
  const pay = payWith({ wallet: keypair, rpcUrl, ...options });
  const transfers = () =>
    [mainnet, devnet].flatMap((chain) => chain.transfers.filter(({ from }) => from === signer.address));
  return { client: createClient({ baseUrl: url, signer, pay, ...more }), keypair, signer, transfers };
}

/** The lines that a gateway logs during the work. */
export async function logged(
  { logLines }: Pick<PaidGateway, 'logLines'>,
  work: () => PromiseLike<unknown>,
): Promise<{ readonly status: number; readonly path: string }[]> {
  const before = logLines.length;
  await work();
  return logLines.slice(before).map((line) => JSON.parse(line));
}

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
  const method: ((...values: readonly unknown[]) => Call<unknown>) | undefined = Reflect.get(
    there[surface as Surface],
    methodNameOf(row),
  );
  if (!method) throw new Error(`no method for ${row.id}`);
  return method(...values);
}
