import { HEADERS } from '@asset-gateway/protocol';
import type { Answer } from './http-client.ts';
import { isObject, type JsonObject, objectAt, parsed } from './json.ts';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The text of an answer's challenge header; empty when there is none. */
export const challengeHeader = ({ headers }: Answer): string => headers[HEADERS.paymentRequired.toLowerCase()] ?? '';

/** The PaymentRequired in the header of an answer; nothing when it is not base64 of a JSON object. */
export function challengeInHeader(answer: Answer): JsonObject | undefined {
  const header = challengeHeader(answer);
  const value = BASE64.test(header) ? parsed(Buffer.from(header, 'base64').toString('utf8')) : undefined;
  return isObject(value) ? value : undefined;
}

/** The PaymentRequired in the body of an answer; nothing when the body holds none. */
export function challengeInBody({ body }: Answer): JsonObject | undefined {
  const value = parsed(body);
  return isObject(value) && Array.isArray(value.accepts) ? value : undefined;
}

/** What an answer asks for: by its body, which scripts can always read, or else by its header. */
export const challengeIn = (answer: Answer): JsonObject | undefined =>
  answer.status === 402 ? (challengeInBody(answer) ?? challengeInHeader(answer)) : undefined;

/** An extension of a challenge; an empty one when it is not there. */
export const extensionIn = (challenge: JsonObject, name: string): JsonObject => objectAt(challenge, 'extensions', name);
