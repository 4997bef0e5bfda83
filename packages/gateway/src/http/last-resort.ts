import { randomUUID } from 'node:crypto';
import { CORS_HEADERS, Refusal, refusalBody } from '@asset-gateway/protocol';

/** A whole answer, ready to be written. */
export interface Ready {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Called when the whole answer has been handed to the client's connection. */
  readonly onDelivered?: () => void;
}

/** The answer to what never became a request that the gateway could answer. */
export function lastResort(refusal: Refusal): Ready {
  const requestId = randomUUID();
  const body = JSON.stringify(refusalBody(refusal, requestId));
  return {
    status: refusal.status,
    headers: {
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...CORS_HEADERS,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    },
    body,
  };
}

/** The answer to an expectation other than 100-continue, which HTTP lets stand without a body. */
export function unexpected(): Ready {
  const { headers } = lastResort(new Refusal('bad_request'));
  return { status: 417, headers: { ...headers, 'Content-Length': '0' }, body: '' };
}
