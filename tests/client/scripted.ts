import type { IncomingHttpHeaders } from 'node:http';
import { json, type StrangeGateway, startStrangeGateway } from '../kit/strange-gateway.ts';
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
