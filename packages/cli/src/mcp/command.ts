import { once } from 'node:events';
import { oneLine } from '@asset-gateway/protocol';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Given } from '../commands/command.ts';
import { EXIT } from '../exit-code.ts';
import { ownWallet } from '../keys/wallets.ts';
import type { Session } from '../session.ts';
import { version } from '../version.ts';
import type { Purse } from './calls.ts';
import { serveHttp } from './http.ts';
import { createServers, type McpOptions } from './server.ts';
import { readSettings } from './settings.ts';

const MAX_MESSAGE = 2000;

/** The wallet of this user, with what it pays by; undefined if there is none. */
async function purseOf({ gateway, terminal, ledger, rpc, values }: Session): Promise<Purse | undefined> {
  const wallet = await ownWallet(values);
  return wallet && { gateway, terminal, ledger, rpc, wallet };
}

async function overStdio(options: McpOptions): Promise<void> {
  const closed = once(process.stdin, 'close');
  serveStdio(createServers(options), {
    onerror: ({ message }) => process.stderr.write(`mcp: ${oneLine(message, MAX_MESSAGE)}\n`),
  });
  await closed;
}

async function overHttp(options: McpOptions, port: number): Promise<void> {
  const server = await serveHttp(createServers(options), port);
  process.stderr.write(`mcp: listening on ${server.url}\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await server.close();
}

/**
 * Serves MCP until the host has gone; answers with the exit code. Over HTTP, where any program of this machine may connect, it has no
 * wallet: it signs in with a key that is thrown away, and never pays.
 */
export async function serveMcp(given: Given): Promise<number> {
  const { session } = given;
  const { port, ...settings } = readSettings(given);
  const options = { ...settings, gateway: session.gateway, timeoutMs: session.timeoutMs, version };
  if (port !== undefined) await overHttp(options, port);
  else {
    const purse = await purseOf(session);
    await overStdio({ ...options, ...(purse && { purse }) });
  }
  return EXIT.ok;
}
