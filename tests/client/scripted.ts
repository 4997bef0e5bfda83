import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is answered to one request, which may be lost once it has arrived, never answered, or answered in part. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isLost?: boolean;
  readonly isSilent?: boolean;
  readonly isCut?: boolean;
}

/** A server that gives these replies in their order and records what it was sent; its catalog lists RPC methods at $1 a call. */
export interface ScriptedGateway {
  readonly url: string;
  readonly requests: IncomingHttpHeaders[];
  /** What comes next; afterwards everything is answered with an empty result. */
  play(...replies: readonly Reply[]): void;
  close(): Promise<void>;
}

const CATALOG = {
  routes: ['mainnet', 'devnet'].map((cluster) => ({
    httpMethod: 'POST',
    path: `/v1/x402/solana/${cluster}/helius/rpc/:method`,
    priceUsd: '1',
    accessMode: 'exact',
    description: 'A route.',
  })),
};
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

/** The body of a refusal with this code. */
export const refusal = (error: string, more: object = {}) => ({
  ok: false,
  error,
  message: 'Do something else.',
  requestId: 'r-1',
  ...more,
});
