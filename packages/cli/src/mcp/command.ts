import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { gatewayUrl } from '../config.ts';
import { type Wallet, walletIn } from '../wallet.ts';
import { serveHttp } from './http.ts';
import { purseOf } from './purse.ts';
import { createServers, type McpOptions } from './server.ts';
import { readSettings, type Settings, USAGE } from './settings.ts';
import { VERSION } from './version.ts';

/** Without a wallet where anybody on this machine may connect: what such a server signs is a key that it throws away. */
function optionsOf({ isAll, cluster, budget, rpc, port }: Settings, wallet: Wallet | undefined): McpOptions {
  const shared = { gateway: gatewayUrl(), isAll, cluster, budget, version: VERSION };
  return wallet && port === undefined ? { ...shared, signer: wallet.signer, purse: purseOf(wallet, rpc) } : shared;
}

async function overStdio(options: McpOptions): Promise<void> {
  const gone = once(process.stdin, 'close');
  serveStdio(createServers(options), { onerror: ({ message }) => process.stderr.write(`mcp: ${message}\n`) });
  await gone;
}

async function overHttp(options: McpOptions, port: number): Promise<void> {
  const server = await serveHttp(createServers(options), port);
  process.stderr.write(`mcp: listening on ${server.url} \n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await server.close();
}

/** Serves MCP until the host is gone; answers with the exit code. */
export async function runMcp(args: readonly string[]): Promise<number> {
  const settings = readSettings(args);
  if (settings.isHelp) {
    process.stdout.write(USAGE);
    return 0;
  }
  const wallet = settings.keypair === undefined ? undefined : walletIn(settings.keypair);
  const options = optionsOf(settings, wallet);
  await (settings.port === undefined ? overStdio(options) : overHttp(options, settings.port));
  return 0;
}
