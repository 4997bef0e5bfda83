import { NETWORKS } from '@asset-gateway/protocol';
import { fetchJson } from '../fetch-json.ts';

/** The sandbox's chains listen on the two ports after the gateway's. */
export function sandboxRpc(gateway: string, network: string): string {
  const { hostname, port } = new URL(gateway);
  return `http://${hostname}:${Number(port || 80) + (network === NETWORKS.mainnet ? 1 : 2)}`;
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 65_536 };

/** Requests play money. Returns whether a sandbox sent some. */
export async function askFaucet(rpcUrl: string, address: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [address] });
  const headers = { 'Content-Type': 'application/json' };
  try {
    const { response, body: answer } = await fetchJson(new URL(rpcUrl), { method: 'POST', headers, body }, LIMITS);
    return response.ok && typeof answer === 'object' && answer !== null && !('error' in answer);
  } catch {
    return false;
  }
}
