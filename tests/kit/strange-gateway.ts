import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endsAfterTests } from './ends.ts';

/** A request as it arrived, with its body. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answerer = (arrival: Arrival, response: ServerResponse) => void;

/**
 * Starts a server on 127.0.0.1, by default on a free port. A test writes its answers, byte by byte if necessary. Stops it after the file's
 * tests.
 */
export async function startStrangeGateway(port = 0) {
  let answerer: Answerer = (_, response) => void response.end();
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = '', url: path = '', headers } = request;
    const arrival = { method, path, headers, body: Buffer.concat(parts).toString() };
    arrivals.push(arrival);
    answerer(arrival, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every request that arrived. */
    arrivals,
    /** Sets the handler and forgets earlier requests. */
    answer: (next: Answerer): void => {
      answerer = next;
      arrivals.length = 0;
    },
    stop: endsAfterTests(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Answers with JSON. */
export const json = (response: ServerResponse, status: number, body: unknown, headers: object = {}): void =>
  void response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));

/** Begins an answer, and adds a blank every 20 ms without end. */
export function drip(response: ServerResponse, status = 200): void {
  response.writeHead(status, JSON_TYPE).write('{');
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
}

/** Sends bytes until the other side hangs up. Reports how many the connection took. */
export function flood(response: ServerResponse, status: number, taken: (bytes: number) => void): void {
  const part = Buffer.alloc(1024 * 1024, ' ');
  let isOver = false;
  let bytes = 0;
  response.once('close', () => {
    isOver = true;
    taken(bytes);
  });
  response.writeHead(status, JSON_TYPE);
  const more = (): void => {
    if (isOver) return;
    bytes += part.length;
    response.write(part, more);
  };
  more();
}
