import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { newSigner } from '@asset-gateway/client/node';
import { NETWORKS, USDC } from '@asset-gateway/protocol';
import { json, type StrangeGateway, startStrangeGateway } from '../kit/strange-gateway.ts';

export const [payTo, feePayer] = [newSigner().address, newSigner().address];

/** A catalog with RPC methods at this price. */
export const catalogWith = (priceUsd: string, schema: object = {}) => ({
  routes: ['mainnet', 'devnet'].map((cluster) => ({
    httpMethod: 'POST',
    path: `/v1/x402/solana/${cluster}/helius/rpc/:method`,
    priceUsd,
    accessMode: 'exact',
    description: 'A route.',
    ...schema,
  })),
});

/** A requirement of 5 millionths. It has a new memo each time, like a gateway's, so that two payments with one blockhash differ. */
export const requirement = (change: object = {}, extra: object = {}) => ({
  scheme: 'exact',
  network: NETWORKS.mainnet,
  amount: '5',
  asset: USDC.mainnet,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { feePayer, memo: randomBytes(24).toString('base64url'), ...extra },
  ...change,
});

/** The body of a 402 with these requirements. */
export const asking = (accepts: unknown, more: object = {}) => ({
  ok: false,
  error: 'payment_required',
  message: 'Pay.',
  requestId: 'r-1',
  x402Version: 2,
  resource: { url: 'http://x/' },
  accepts,
  extensions: {},
  ...more,
});

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
export interface ScriptedGateway extends Pick<StrangeGateway, 'url' | 'stop'> {
  readonly requests: IncomingHttpHeaders[];
  /** Sets the next replies. After them, every answer is an empty result. */
  play(...replies: readonly Reply[]): void;
}

const CATALOG = catalogWith('1');
const DONE: Reply = { status: 200, body: { ok: true, result: {} } };

export async function startScriptedGateway(): Promise<ScriptedGateway> {
  let replies: Reply[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const { url, stop, answer } = await startStrangeGateway();
  answer(({ path, headers: asked }, response) => {
    if (path === '/v1/catalog') return json(response, 200, CATALOG);
    requests.push(asked);
    const { status = 200, body, headers = {}, isLost, isSilent, isCut } = replies.shift() ?? DONE;
    if (isSilent) return;
    if (isLost) return void response.destroy();
    if (!isCut) return json(response, status, body, headers);
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    response.write('{"ok":', () => response.destroy());
  });
  return {
    url,
    stop,
    requests,
    play: (...next) => {
      replies = [...next];
      requests.length = 0;
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
