import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on 127.0.0.1. */
export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

/** Answers a request; if it throws, the connection is closed. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const MAX_BODY_BYTES = 1_048_576;

/** Starts a server on 127.0.0.1; port 0 means a free one. */
export async function listen(port: number, handle: Handle): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** The body of a request; undefined if it is too long. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends an answer. */
export function send(response: ServerResponse, status: number, text: string, type = 'application/json'): void {
  const body = Buffer.from(text);
  response.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body);
}
