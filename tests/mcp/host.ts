import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The two eras of the protocol, as a client asks for them. */
export const ERAS = [
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ['2025', {}],
] as const satisfies readonly (readonly [string, ClientOptions])[];

export type EraOptions = (typeof ERAS)[number][1];

/** Starts the bundled program as a host does, with these words after `mcp`. */
export async function startHost(
  words: readonly string[],
  env: Record<string, string>,
  options: ClientOptions = {},
): Promise<Client> {
  const client = new Client({ name: 'test-host', version: '1.0.0' }, options);
  const args = ['packages/cli/bin/main.js', 'mcp', ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'inherit' }));
  return client;
}
