import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type Cluster, oneLine } from '@asset-gateway/protocol';
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
import { cacheFolder, version } from '../config.ts';
import { EXIT, UsageError } from '../failure.ts';
import { ownWallet } from '../keys/wallets.ts';
import { catalogOf } from '../money/catalog.ts';
import { clusterIn, dollarsIn, oneOf } from '../options.ts';
import type { Session } from '../session.ts';
import type { Budget, PayerSetup } from './calls.ts';
import { createServers, type McpOptions } from './server.ts';

const HOST = '127.0.0.1';
const PATH = '/mcp';
const MAX_BODY_BYTES = 1_048_576;
const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 30_000;
const METHODS = ['GET', 'POST', 'DELETE'];

/** A listening server. */
export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

const refusal = (status: number, text: string): Response => new Response(`${text}\n`, { status });

/** The refusal of an invalid request. The checks against browser pages come first. */
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
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, String(value));
  const { method } = message;
  const body = method === 'POST' && { body: Readable.toWeb(message) as ReadableStream<Uint8Array>, duplex: 'half' };
  return new Request(`http://${HOST}${PATH}`, { method, headers, signal, ...body } as RequestInit);
}

async function write(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) await pipeline(Readable.fromWeb(answer.body as ReadableStream<Uint8Array>), response);
  else response.end();
}

/** Serves programs of this machine. Browser pages are refused by their `Origin` and `Host` headers. */
export async function serveHttp(factory: McpServerFactory, port: number): Promise<HttpServer> {
  const handler = createMcpHandler(factory, { maxRequestBodySize: MAX_BODY_BYTES });
  const answerTo = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    const answer = refusalOf(message) ?? (await handler.fetch(requestOf(message, disconnected.signal)));
    await write(answer, response);
  };
  const server = createServer((message, response) => {
    answerTo(message, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`,
    async close() {
      await handler.close();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

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
  const listed = await catalogOf(session.gateway, cacheFolder()).catch(() => {
    process.stderr.write('mcp: the catalog cannot be read, so tools of APIs are missing\n');
    return [];
  });
  const options = { ...settings, gateway: session.gateway, timeoutMs: session.timeoutMs, version, listed };
  if (port !== undefined) await overHttp(options, port);
  else {
    const payer = await payerSetup(session);
    await overStdio({ ...options, ...(payer && { payer }) });
  }
  return EXIT.ok;
}
