import { oneLine, readBytes } from '@asset-gateway/protocol';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;
const BLOCKHASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'getLatestBlockhash',
  params: [{ commitment: 'confirmed' }],
});

/** The latest blockhash by a Solana RPC, read within ten seconds and 64 KiB: x402's own scheme would wait and read without end. */
export async function latestBlockhash(rpcUrl: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: BODY,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const text = new TextDecoder().decode(await readBytes(response.body, MAX_BYTES));
  const { result, error } = JSON.parse(text) as {
    result?: { value?: { blockhash?: unknown } };
    error?: { message?: unknown };
  };
  const blockhash = result?.value?.blockhash;
  if (typeof blockhash === 'string' && BLOCKHASH.test(blockhash)) return blockhash;
  throw new Error(oneLine(error?.message, 200) || `the RPC answers ${response.status} without a blockhash`);
}
