#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createMatcher, routes } from '@asset-gateway/protocol';
import { GatewayClient } from './client.ts';
import { gatewayUrl } from './config.ts';
import { indent } from './indent.ts';
import { newSigner, signerFromFile } from './signer.ts';

const USAGE = `Usage: npm run ask -- <path> [<json body>] [--keypair <file>]
  <path>      assets/solana, or a whole path such as /v1/catalog
  <json body> makes it a POST: npm run ask -- assets/market-snapshots '{"mints":["…"]}'
  --keypair   a Solana CLI keypair file; without it a new wallet signs
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

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { keypair: { type: 'string' } } });
  const [path, body] = positionals;
  if (path === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const signer = values.keypair === undefined ? newSigner() : signerFromFile(values.keypair);
  const client = new GatewayClient({ baseUrl: gatewayUrl(), signer });
  const response = await client.ask(absolutePath(path), body === undefined ? {} : { body: JSON.parse(body) });
  process.stderr.write(`${response.status} ${response.url}\nsigned by ${signer.address}\n`);
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
