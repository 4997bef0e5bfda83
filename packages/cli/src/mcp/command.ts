import { once } from 'node:events';
import { type Cluster, oneLine } from '@asset-gateway/protocol';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CommandInput } from '../commands/command.ts';
import { version } from '../config.ts';
import { EXIT, UsageError } from '../exit-code.ts';
import { ownWallet } from '../keys/wallets.ts';
import { clusterIn, dollarsIn, oneOf } from '../options.ts';
import type { Session } from '../session.ts';
import type { Budget, PayerSetup } from './calls.ts';
import { serveHttp } from './http.ts';
import { createServers, type McpOptions } from './server.ts';

const MAX_MESSAGE = 2000;

/** The user's wallet with its ledger and RPC; undefined if there is none. */
async function payerSetup({ gateway, terminal, ledger, rpc, values }: Session): Promise<PayerSetup | undefined> {
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

/** The parsed command line of `mcp`. */
interface Settings {
  /** The HTTP port; undefined for stdio. */
  readonly port: number | undefined;
  readonly isAll: boolean;
  readonly cluster: Cluster;
  readonly budget: Budget;
}

const DEFAULT_PORT = '8405';
const PORT = /^\d{1,5}$/;

function portIn([text = DEFAULT_PORT, ...more]: readonly string[]): number {
  const port = Number(text);
  if (more.length > 0 || !PORT.test(text) || port > 65_535) throw new UsageError('--http takes a port');
  return port;
}

/** Parses the words and options of `mcp`. */
function readSettings({ words, values, session }: CommandInput): Settings {
  const isHttp = values.is('http');
  const given = ['pay', 'credit'].find((name) => values.is(name));
  if (given) throw new UsageError(`mcp pays within --budget-usd, and beyond it asks: leave --${given} out`);
  if (!isHttp && words.length > 0) throw new UsageError('mcp takes options only');
  if (isHttp && ['keypair', 'budget-usd'].some((name) => values.text(name) !== undefined)) {
    throw new UsageError('--http never pays: leave --keypair and --budget-usd out');
  }
  const budgetUsd = dollarsIn(values.text('budget-usd') ?? '0', '--budget-usd');
  const { perCallUsd, perDayUsd } = session.caps;
  return {
    port: isHttp ? portIn(words) : undefined,
    isAll: oneOf(values.text('tools') ?? 'usual', ['usual', 'all'], '--tools') === 'all',
    cluster: clusterIn(values),
    // The user's own limits apply here too.
    budget: { perCallUsd: Math.min(budgetUsd, perCallUsd), perDayUsd: Math.min(budgetUsd, perDayUsd) },
  };
}

/**
 * Serves MCP until the host disconnects; returns the exit code. Over HTTP, where any program of this machine may connect, a temporary
 * key signs in and nothing is paid.
 */
export async function serveMcp(given: CommandInput): Promise<number> {
  const { session } = given;
  const { port, ...settings } = readSettings(given);
  const options = { ...settings, gateway: session.gateway, timeoutMs: session.timeoutMs, version };
  if (port !== undefined) await overHttp(options, port);
  else {
    const payer = await payerSetup(session);
    await overStdio({ ...options, ...(payer && { payer }) });
  }
  return EXIT.ok;
}
