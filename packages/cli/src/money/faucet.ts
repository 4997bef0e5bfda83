import { NETWORKS } from '@asset-gateway/protocol';

/** The sandbox's chains listen on the ports after its gateway's. */
export function sandboxRpc(gateway: string, network: string): string {
  const { hostname, port } = new URL(gateway);
  return `http://${hostname}:${Number(port || 80) + (network === NETWORKS.mainnet ? 1 : 2)}`;
}

const TIMEOUT_MS = 10_000;

/** Asks for play money; answers whether there was a sandbox that gave some. */
export async function askFaucet(rpcUrl: string, address: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [address] });
  const headers = { 'Content-Type': 'application/json' };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(rpcUrl, { method: 'POST', headers, body, signal, redirect: 'error' });
    const answer = (await response.json()) as { error?: unknown } | null;
    return response.ok && answer !== null && answer.error === undefined;
  } catch {
    return false;
  }
}
