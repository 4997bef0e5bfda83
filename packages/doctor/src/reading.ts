import { attempt, HEADERS, isObject, isShallow, type Members, objectAt } from '@asset-gateway/protocol';
import type { Answer } from './http-client.ts';

const MAX_DEPTH = 100;

/** Parses JSON; undefined if invalid. Throws a `RangeError` if it is too deep. */
export function parsed(text: string): unknown {
  const value = attempt((): unknown => JSON.parse(text), undefined);
  // Later code walks values recursively, so they must not be too deep.
  if (!isShallow(value, MAX_DEPTH)) throw new RangeError(`its JSON is more than ${MAX_DEPTH} levels deep`);
  return value;
}

/** Returns the names in a comma-separated header value. */
export const names = (value: string): string[] =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Returns the expected names that are missing, ignoring case. */
export function missingNames(expected: readonly string[], given: readonly string[]): string[] {
  const present = new Set(given.map((name) => name.toLowerCase()));
  return expected.filter((name) => !present.has(name.toLowerCase()));
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Returns an answer's challenge header; empty if missing. */
export const challengeHeader = ({ headers }: Answer): string => headers[HEADERS.paymentRequired.toLowerCase()] ?? '';

/** Returns the PaymentRequired in an answer's header, if the header is base64 of a JSON object. */
export function challengeInHeader(answer: Answer): Members | undefined {
  const header = challengeHeader(answer);
  const value = BASE64.test(header) ? parsed(Buffer.from(header, 'base64').toString('utf8')) : undefined;
  return isObject(value) ? value : undefined;
}

/** The parsed bodies, because many checks read the same answers. */
const parsedBodies = new WeakMap<Answer, { readonly value: unknown }>();

function parsedBody(answer: Answer): unknown {
  const known = parsedBodies.get(answer) ?? { value: parsed(answer.body) };
  parsedBodies.set(answer, known);
  return known.value;
}

/** Returns the PaymentRequired in an answer's body, if any. */
export function challengeInBody(answer: Answer): Members | undefined {
  const value = parsedBody(answer);
  return isObject(value) && Array.isArray(value.accepts) ? value : undefined;
}

/** Returns the challenge of a 402: from its body, because scripts can always read it, or else from its header. */
export const challengeIn = (answer: Answer): Members | undefined =>
  answer.status === 402 ? (challengeInBody(answer) ?? challengeInHeader(answer)) : undefined;

/** Returns an extension of a challenge; empty if missing. */
export const extensionIn = (challenge: Members, name: string): Members => objectAt(challenge, 'extensions', name);
