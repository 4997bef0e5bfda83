import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { catalogWith } from './offers.ts';

/** The reply to one request: an answer, a closed connection, silence, or a partial answer. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isLost?: boolean;
  readonly isSilent?: boolean;
  readonly isCut?: boolean;
}

/** A server with scripted replies, which records its requests. Its catalog lists RPC methods at $1 a call. */
export interface ScriptedGateway {
  readonly url: string;
  readonly requests: IncomingHttpHeaders[];
  /** Sets the next replies. After them, every answer is an empty result. */
  play(...replies: readonly Reply[]): void;
  close(): Promise<void>;
}

const CATALOG = catalogWith('1');
const DONE: Reply = { status: 200, body: { ok: true, result: {} } };

export async function startScriptedGateway(): Promise<ScriptedGateway> {
  let replies: Reply[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const isCatalog = request.url === '/v1/catalog';
    if (isCatalog) return void response.end(JSON.stringify(CATALOG));
    requests.push(request.headers);
    const { status = 200, body, headers = {}, isLost, isSilent, isCut } = replies.shift() ?? DONE;
    if (isSilent) return;
    if (isLost) return void request.socket.destroy();
    if (isCut) {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      return void response.write('{"ok":', () => request.socket.destroy());
    }
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    play: (...next) => {
      replies = [...next];
      requests.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The body of a refusal. */
export const refusal = (error: string, more: object = {}) => ({
  ok: false,
  error,
  message: 'Do something else.',
  requestId: 'r-1',
  ...more,
});
