import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';

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
