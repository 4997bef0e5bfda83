import { randomUUID } from 'node:crypto';
import { CORS_HEADERS, type Refusal, refusalBody } from '@asset-gateway/protocol';
import type { Outbound } from './call.ts';

/** Returns a refusal built without the pipeline, for unreadable requests and after a failure of the pipeline. */
export function lastResort(refusal: Refusal): Outbound {
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
