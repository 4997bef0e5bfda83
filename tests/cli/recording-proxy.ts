import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A forwarded request and its answer. */
export interface Passed {
  readonly method: string;
  readonly target: string;
  /** Its authorisation: a signature, a payment, or nothing. */
  readonly carries: 'signature' | 'payment' | 'nothing';
  readonly status: number;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Hooks that change the traffic. */
export interface Hooks {
  /** Called before an answer is returned; what it returns replaces that. */
  after?: (passed: Passed) => Partial<Answer> | undefined;
}

/** A proxy between a client and a gateway. */
export interface RecordingProxy {
  readonly url: string;
  readonly passed: Passed[];
  readonly hooks: Hooks;
  /** Sets the port of the gateway. */
  forwardTo(port: number): void;
  close(): Promise<void>;
}

function carriedBy({ headers }: IncomingMessage): Passed['carries'] {
  if (headers['payment-signature'] !== undefined) return 'payment';
  return headers['sign-in-with-x'] === undefined ? 'nothing' : 'signature';
}

async function forward({ url, method, headers }: IncomingMessage, body: Buffer, port: number): Promise<Answer> {
  const onward = request({ host: '127.0.0.1', port, path: url, method, headers }).end(body);
  const [response] = (await once(onward, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}

/** Starts a proxy on a free port. It records all traffic. */
export async function startRecordingProxy(): Promise<RecordingProxy> {
  const passed: Passed[] = [];
  const hooks: Hooks = {};
  let port = 0;

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '' } = incoming;
    const carries = carriedBy(incoming);
    const sent = await buffer(incoming);
    const answer = await forward(incoming, sent, port);
    const seen = { method, target, carries, status: answer.status, body: answer.body };
    passed.push(seen);
    const { status, headers, body } = { ...answer, ...hooks.after?.(seen) };
    const { 'content-length': _, 'transfer-encoding': __, ...rest } = headers;
    response.writeHead(status, { ...rest, 'content-length': body.length }).end(body);
  }

  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    hooks,
    forwardTo(other) {
      port = other;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
