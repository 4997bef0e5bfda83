import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
  originValidationResponse,
} from '@modelcontextprotocol/server';

const HOST = '127.0.0.1';
const PATH = '/mcp';
const MAX_BODY_BYTES = 1_048_576;
const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 30_000;

/** A server that listens. */
export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

function requestOf(message: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, String(value));
  const method = message.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Readable.toWeb(message) as ReadableStream<Uint8Array>, duplex: 'half' } : {};
  return new Request(new URL(message.url ?? '/', `http://${HOST}`), {
    method,
    headers,
    signal,
    ...body,
  } as RequestInit);
}

async function write(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) await pipeline(Readable.fromWeb(answer.body as ReadableStream<Uint8Array>), response);
  else response.end();
}

/** Serves programs of this machine. Pages of a browser are kept out by their Origin, and by the Host that they believe in. */
export async function serveHttp(factory: McpServerFactory, port: number): Promise<HttpServer> {
  const handler = createMcpHandler(factory, { maxRequestBodySize: MAX_BODY_BYTES });
  const answerTo = async (request: Request): Promise<Response> => {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (refused) return refused;
    return new URL(request.url).pathname === PATH ? handler.fetch(request) : new Response('not found', { status: 404 });
  };
  const server = createServer((message, response) => {
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    answerTo(requestOf(message, disconnected.signal))
      .then((answer) => write(answer, response))
      .catch(() => response.destroy());
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
