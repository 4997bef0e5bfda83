import { CORS_HEADERS, type RefusalCode } from '@asset-gateway/protocol';
import type { Call, Inbound, Outbound, Trail } from '../call.ts';
import { conditional } from './conditional.ts';

/** One line of the log: what happened to one request. No secret, no signature, no nonce. */
export interface LogLine {
  readonly requestId: string;
  readonly client: string;
  readonly method: string;
  readonly path: string;
  readonly route?: string;
  readonly wallet?: string;
  readonly status: number;
  readonly error?: RefusalCode;
  readonly reason?: string;
  readonly ms: number;
  readonly upstreamMs?: number;
  readonly budgetLeft?: number;
}

/** What a trail is opened with. */
export interface TrailParts {
  readonly log: (line: LogLine) => void;
  readonly randomId: () => string;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const MAX_LOGGED_PATH = 200;
const WITHOUT_LENGTH = [204, 304];

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

function requestIdOf({ headers }: Inbound, randomId: () => string): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomId();
}

/** What one request leaves behind, from its arrival to its one log line. */
export class RequestTrail implements Trail {
  readonly requestId: string;
  wallet?: string;
  refused?: NonNullable<Trail['refused']>;
  upstreamMs?: number;
  budgetLeft?: number;
  stamp?: NonNullable<Trail['stamp']>;
  payment?: NonNullable<Trail['payment']>;
  delivered?: NonNullable<Trail['delivered']>;
  challenge?: NonNullable<Trail['challenge']>;
  readonly #inbound: Inbound;
  readonly #parts: TrailParts;
  readonly #startedAt = performance.now();
  #call: Call | undefined;

  constructor(inbound: Inbound, parts: TrailParts) {
    this.#inbound = inbound;
    this.#parts = parts;
    this.requestId = requestIdOf(inbound, parts.randomId);
  }

  /** Notes the row that the request has found. */
  follow(call: Call): Call {
    this.#call = call;
    return call;
  }

  /** Completes an answer with what every answer carries, drops the body for HEAD, and writes the log line. */
  finish(complete: Outbound): Outbound {
    const answer = conditional(this.#inbound, complete);
    const headers: Record<string, string> = {
      'X-Request-Id': this.requestId,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': this.#isGated() && answer.status !== 402 ? 'private, no-store' : 'no-store',
      ...CORS_HEADERS,
      ...answer.headers,
    };
    if (!WITHOUT_LENGTH.includes(answer.status)) headers['Content-Length'] = String(Buffer.byteLength(answer.body));
    if (answer.status !== 402) this.stamp?.(headers);
    this.#parts.log(this.#line(answer.status));
    if (this.#inbound.method === 'HEAD') return { status: answer.status, headers, body: '' };
    // A refusal is not what was paid for.
    const onDelivered = answer.status === 200 ? this.delivered : undefined;
    return { ...answer, headers, ...(onDelivered && { onDelivered }) };
  }

  #isGated(): boolean {
    return this.#call !== undefined && this.#call.route.access !== 'public';
  }

  #line(status: number): LogLine {
    const { method, target, client } = this.#inbound;
    const { code, reason } = this.refused ?? {};
    return {
      requestId: this.requestId,
      client,
      method,
      path: target.split('?', 1)[0]?.slice(0, MAX_LOGGED_PATH) ?? '',
      ...(this.#call && { route: this.#call.route.id }),
      ...(this.wallet !== undefined && { wallet: this.wallet }),
      status,
      ...(code && { error: code }),
      ...(reason !== undefined && reason !== code && { reason }),
      ms: rounded(performance.now() - this.#startedAt),
      ...(this.upstreamMs !== undefined && { upstreamMs: rounded(this.upstreamMs) }),
      ...(this.budgetLeft !== undefined && { budgetLeft: this.budgetLeft }),
    };
  }
}
