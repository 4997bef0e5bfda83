import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endsAfterTests } from './ends.ts';

/** A request and its answer, with header names in lower case. */
export interface Exchange {
  readonly method: string;
  readonly target: string;
  readonly asked: Readonly<Record<string, unknown>>;
  /** 0 cuts the connection in place of an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Changes an answer; undefined leaves it unchanged. */
export type Alter = (exchange: Exchange) => Partial<Pick<Exchange, 'status' | 'headers' | 'body'>> | undefined;

/** A proxy in front of a gateway that records all traffic. It forwards HEAD as GET, so that both answers change alike. */
export type RecordingProxy = Awaited<ReturnType<typeof startRecordingProxy>>;

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function forward(incoming: IncomingMessage, port: number): Promise<Exchange> {
  const { method = '', url: target = '', headers: asked } = incoming;
  const outgoing = request({
    port,
    host: '127.0.0.1',
    path: target,
    // The proxy changes texts, so the gateway must not compress them.
    headers: { ...asked, 'accept-encoding': 'identity' },
    method: method === 'HEAD' ? 'GET' : method,
    agent: false,
  });
  outgoing.end(await textOf(incoming));
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
  return { method, target, asked, status: answer.statusCode ?? 0, headers, body: await textOf(answer) };
}

/** The changed answer with a correct length. It has no body if there must be none. */
export function passedOn(exchange: Exchange, alter: Alter): Pick<Exchange, 'status' | 'headers' | 'body'> {
  const { method, status, headers, body } = { ...exchange, ...alter(exchange) };
  const { connection: _, 'content-length': __, 'transfer-encoding': ___, ...rest } = headers;
  const hasBody = status !== 204 && status !== 304;
  const length = hasBody && { 'content-length': String(Buffer.byteLength(body)) };
  return { status, headers: { ...rest, ...length }, body: hasBody && method !== 'HEAD' ? body : '' };
}

function answerWith({ status, headers, body }: ReturnType<typeof passedOn>, response: ServerResponse): void {
  if (status === 0) response.destroy();
  else response.writeHead(status, headers).end(body);
}

/** Starts a proxy for ports of 127.0.0.1. Stops it after the file's tests. */
export async function startRecordingProxy(...ports: number[]) {
  let turn = 0;
  const exchanges: Exchange[] = [];
  const altering: { alter: Alter } = { alter: () => undefined };
  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const exchange = await forward(incoming, ports[turn++ % ports.length] ?? 0);
    exchanges.push(exchange);
    answerWith(passedOn(exchange, altering.alter), response);
  };
  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(altering, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The exchanges as the gateway answered them. */
    exchanges,
    /** Ports of 127.0.0.1 that take the requests in turn. */
    ports,
    stop: endsAfterTests(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }),
  });
}
