#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createMatcher, dollars, NETWORKS, routes } from '@asset-gateway/protocol';
import { GatewayClient } from './client.ts';
import { gatewayUrl } from './config.ts';
import { indent } from './indent.ts';
import { type Offer, type Purse, transactionIn } from './pay.ts';
import { keypairFromFile, newKeypair, signerFromBytes } from './signer.ts';

const USAGE = `Usage: npm run ask -- <path> [<json body>] [--pay] [--keypair <file>] [--rpc <url>]
  <path>      assets/solana, or a whole path such as /v1/catalog
  <json body> makes it a POST: npm run ask -- assets/market-snapshots '{"mints":["…"]}'
  --keypair   a Solana CLI keypair file; without it a new wallet signs
  --pay       pay for the answer; without --keypair with USDC of the sandbox
  --rpc       the Solana RPC to pay through; needed with --keypair
`;

const PREFIXES = ['/v1/x402/tokens/', '/v1/x402/'];

/** A relative path is the first of the gateway's families of routes that knows it. */
function absolutePath(path: string): string {
  if (path.startsWith('/')) return path;
  const find = createMatcher(routes);
  const candidates = PREFIXES.map((prefix) => prefix + path);
  const known = candidates.find((candidate) => typeof find(candidate.split('?', 1)[0] ?? '') === 'object');
  return known ?? `${PREFIXES[0]}${path}`;
}

const OPTIONS = {
  keypair: { type: 'string' },
  pay: { type: 'boolean' },
  rpc: { type: 'string' },
} as const;

/** The sandbox's chains listen on the ports after its gateway's. */
function sandboxRpc(network: string): string {
  const { hostname, port } = new URL(gatewayUrl());
  return `http://${hostname}:${Number(port || 80) + (network === NETWORKS.mainnet ? 1 : 2)}`;
}

async function askFaucet(rpcUrl: string, address: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [address] });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(rpcUrl, { method: 'POST', headers, body }).catch(() => undefined);
  if (!response?.ok) throw new Error('this is no sandbox: paying takes --keypair <file> and --rpc <url>');
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: OPTIONS });
  const [path, body] = positionals;
  if (path === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const keypair = values.keypair === undefined ? newKeypair() : keypairFromFile(values.keypair);
  const signer = signerFromBytes(keypair);
  const pay = async ({ network, amount }: Offer): Promise<Purse> => {
    process.stderr.write(`paying $${dollars(Number(amount))} on ${network}\n`);
    if (values.keypair !== undefined && values.rpc === undefined) throw new Error('--keypair pays through --rpc <url>');
    const rpcUrl = values.rpc ?? sandboxRpc(network);
    if (values.keypair === undefined) await askFaucet(rpcUrl, signer.address);
    return { keypair, rpcUrl };
  };
  const client = new GatewayClient({ baseUrl: gatewayUrl(), signer, ...(values.pay && { pay }) });
  const response = await client.ask(absolutePath(path), body === undefined ? {} : { body: JSON.parse(body) });
  const transaction = transactionIn(response);
  process.stderr.write(`${response.status} ${response.url}\nsigned by ${signer.address}\n`);
  if (transaction) process.stderr.write(`transaction ${transaction}\n`);
  process.stdout.write(`${indent(await response.text())}\n`);
  return response.ok ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  const hint = cause?.code === 'ECONNREFUSED' ? `nothing listens on ${gatewayUrl()}; run npm start first` : message;
  process.stderr.write(`ask: ${hint}\n`);
  process.exitCode = 1;
}
