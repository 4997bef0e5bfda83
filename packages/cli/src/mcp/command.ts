import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { oneLine } from '@asset-gateway/protocol';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CommandInput } from '../commands/command.ts';
import { EXIT, UsageError } from '../failure.ts';
import { ownWallet } from '../keys/wallets.ts';
import { portIn, serveHere } from '../loopback.ts';
import { wholeCatalog } from '../money/catalog.ts';
import { clusterIn, dollarsIn, oneOf } from '../options.ts';
import { aboutMcp } from './about.ts';
import { type CallsOptions, PAY_BY } from './calls.ts';
import { createServers } from './server.ts';

const HOST = '127.0.0.1';
const PATH = '/mcp';
const MAX_BODY_BYTES = 1_048_576;
const METHODS = ['GET', 'POST', 'DELETE'];

const refusal = (status: number, text: string): Response => new Response(`${text}\n`, { status });

/** Returns the refusal of an invalid request. Checks it against browser pages first. */
function refusalOf({ headers, method = '', url = '' }: IncomingMessage): Response | undefined {
  const host = validateHostHeader(headers.host, localhostAllowedHostnames());
  if (!host.ok) return refusal(403, host.message);
  const origin = validateOriginHeader(headers.origin, localhostAllowedOrigins());
  if (!origin.ok) return refusal(403, origin.message);
  if (!METHODS.includes(method)) return refusal(405, 'method not allowed');
  if (!URL.canParse(url, `http://${HOST}`)) return refusal(400, 'bad request');
  return new URL(url, `http://${HOST}`).pathname === PATH ? undefined : refusal(404, 'not found');
}

function requestOf(message: IncomingMessage, signal: AbortSignal): Request {
  const { method, headers } = message;
  const body = method === 'POST' && { body: Readable.toWeb(message) as ReadableStream<Uint8Array>, duplex: 'half' };
  return new Request(`http://${HOST}${PATH}`, { method, headers, signal, ...body } as RequestInit);
}

async function write(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) await pipeline(Readable.fromWeb(answer.body as ReadableStream<Uint8Array>), response);
  else response.end();
}

/** Serves programs on this machine until a signal. Refuses browser pages by their `Origin` and `Host` headers. */
async function overHttp(servers: McpServerFactory, port: number): Promise<void> {
  const handler = createMcpHandler(servers, { maxRequestBodySize: MAX_BODY_BYTES });
  const answerTo = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    const answer = refusalOf(message) ?? (await handler.fetch(requestOf(message, disconnected.signal)));
    await write(answer, response);
  };
  const server = createServer((message, response) => {
    answerTo(message, response).catch(() => response.destroy());
  });
  await serveHere(server, port, (origin) => process.stderr.write(`mcp: listening on ${origin}${PATH}\n`));
  await handler.close();
}

const MAX_MESSAGE = 2000;

async function overStdio(servers: McpServerFactory): Promise<void> {
  const closed = once(process.stdin, 'close');
  serveStdio(servers, {
    onerror: ({ message }) => process.stderr.write(`mcp: ${oneLine(message, MAX_MESSAGE)}\n`),
  });
  await closed;
}

const DEFAULT_PORT = '8405';

/** The options of this server's wallet. */
const OF_WALLET = ['keypair', 'budget-usd'] as const;

/** Returns which wallet pays, if `--pay-by` says so. */
function payByIn({ values }: CommandInput, isHttp: boolean): CallsOptions['payBy'] {
  const chosen = values.text('pay-by');
  const payBy = chosen === undefined ? undefined : oneOf(chosen, PAY_BY, '--pay-by');
  if (!isHttp && payBy !== 'client') return payBy;
  const hasWallet = OF_WALLET.some((name) => values.text(name) !== undefined);
  if (isHttp && (hasWallet || payBy === 'server')) {
    throw new UsageError(
      '--http has no wallet, so its clients pay: leave --keypair, --budget-usd and --pay-by server out',
    );
  }
  if (hasWallet)
    throw new UsageError('--pay-by client uses no wallet of this server: leave --keypair and --budget-usd out');
  return 'client';
}

/** Returns the budget, payer and HTTP port in the words and options of `mcp`. */
function readSettings(given: CommandInput) {
  const { words, values, session } = given;
  const isHttp = values.is('http');
  const other = ['pay', 'credit'].find((name) => values.is(name));
  if (other) throw new UsageError(`mcp pays within --budget-usd, and beyond it asks: leave --${other} out`);
  const [port = DEFAULT_PORT, ...more] = words;
  if (!isHttp && words.length > 0) throw new UsageError('mcp takes options only');
  if (more.length > 0) throw new UsageError('--http takes a port');
  const payBy = payByIn(given, isHttp);
  const budgetUsd = dollarsIn(values.text('budget-usd') ?? '0', '--budget-usd');
  const { perCallUsd, perDayUsd } = session.caps;
  // The user's own limits also apply.
  const budget = { perCallUsd: Math.min(budgetUsd, perCallUsd), perDayUsd: Math.min(budgetUsd, perDayUsd) };
  return { budget, payBy, port: isHttp ? portIn(port, '--http') : undefined };
}

/**
 * Serves MCP until the host disconnects. Returns the exit code. Over HTTP, where any program on this machine may connect, a temporary key
 * signs in and nothing is paid.
 */
export async function serveMcp(given: CommandInput): Promise<number> {
  const { session, values } = given;
  const { gateway, terminal, ledger, rpc, timeoutMs } = session;
  const { port, budget, payBy } = readSettings(given);
  if (port === undefined && process.stdin.isTTY) {
    process.stdout.write(aboutMcp(gateway));
    return EXIT.ok;
  }
  const isAll = oneOf(values.text('tools') ?? 'usual', ['usual', 'all'], '--tools') === 'all';
  const cluster = clusterIn(values);
  const listed = await wholeCatalog(gateway).catch(() => {
    process.stderr.write('mcp: the catalog cannot be read, so tools of APIs are missing\n');
    return [];
  });
  const wallet = payBy === 'client' ? undefined : await ownWallet(values);
  const payer = wallet && { gateway, terminal, ledger, rpc, wallet };
  const servers = createServers({ gateway, cluster, listed, payBy, budget, timeoutMs, ...(payer && { payer }) }, isAll);
  await (port === undefined ? overStdio(servers) : overHttp(servers, port));
  return EXIT.ok;
}
