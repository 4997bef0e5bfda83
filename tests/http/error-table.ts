import { REFUSALS } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import type { WireAnswer } from './wire.ts';

/** The statuses of each code, which docs/errors.md and openapi.json record; an upstream's own refusal keeps its status. */
const STATUSES = new Map<string, readonly number[]>(
  Object.entries(REFUSALS).map(([code, { status }]) => [
    code,
    code === 'upstream_rejected' ? [400, 404, 422] : [status],
  ]),
);

const SUCCESS = [200, 204, 304];
/** Node's answers to unreadable requests may have no body. */
const WITHOUT_BODY = [400, 408, 417, 431];
const hasRetryAfter = (code: string): boolean => code === 'rate_limited' || STATUSES.get(code)?.[0] === 503;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const MEMBERS = ['ok', 'error', 'message', 'requestId', 'issues', 'retryAfterSeconds', 'scope', 'payment'];
const CHALLENGE_MEMBERS = ['x402Version', 'resource', 'accepts', 'extensions'];

/** The specification's four, and what browser clients need beside them. */
export const EXPOSED_TO_PREFLIGHT = ['Content-Type', 'WWW-Authenticate', 'X-PAYMENT-RESPONSE', 'PAYMENT-RESPONSE'];
const EXPOSED = [
  ...EXPOSED_TO_PREFLIGHT,
  'PAYMENT-REQUIRED',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Replay-Nonce',
  'X-Request-Id',
  'Idempotency-Replayed',
];

/** The object that a body is; empty if it is none. */
export function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The stable code of a refusal; empty when there is none. */
export const codeOf = (answer: WireAnswer | undefined): string => String(parsed(answer?.body ?? '').error ?? '');

/** Status and code of an answer. */
export const statusAndCode = (answer: WireAnswer | undefined): string =>
  `${answer?.status ?? 0} ${codeOf(answer)}`.trim();

function bodyFaults({ status, headers, body }: WireAnswer): string[] {
  const refusal = parsed(body);
  const known = status === 402 ? [...MEMBERS, ...CHALLENGE_MEMBERS] : MEMBERS;
  const code = String(refusal.error);
  const checks: Readonly<Record<string, boolean>> = {
    'a code outside the table': STATUSES.get(code)?.includes(status) === true,
    'ok is not false': refusal.ok === false,
    'no sentence': typeof refusal.message === 'string' && /^[A-Z].*\S$/.test(refusal.message),
    'another request id in the body': refusal.requestId === headers['x-request-id'],
    'an unknown member': Object.keys(refusal).every((name) => known.includes(name)),
    'no Retry-After': !hasRetryAfter(code) || /^[1-9]\d*$/.test(headers['retry-after'] ?? ''),
    'retryAfterSeconds is not Retry-After': String(refusal.retryAfterSeconds ?? '') === (headers['retry-after'] ?? ''),
    'no JSON content type': headers['content-type'] === 'application/json',
    'a 402 without its challenge': status !== 402 || CHALLENGE_MEMBERS.every((name) => name in refusal),
  };
  return Object.keys(checks).filter((fault) => !checks[fault]);
}

/** Faults in the headers of every answer. */
export function headerFaults({ status, headers }: WireAnswer): string[] {
  const exposed = (status === 204 ? EXPOSED_TO_PREFLIGHT : EXPOSED).join(', ');
  const cache = headers['cache-control'] ?? '';
  const isDocument = headers.etag !== undefined && cache === 'public, max-age=60' && [200, 304].includes(status);
  const checks: Readonly<Record<string, boolean>> = {
    'no X-Request-Id': REQUEST_ID.test(headers['x-request-id'] ?? ''),
    'no nosniff': headers['x-content-type-options'] === 'nosniff',
    'no Access-Control-Allow-Origin': headers['access-control-allow-origin'] === '*',
    'other exposed headers': headers['access-control-expose-headers'] === exposed,
    'Access-Control-Allow-Credentials': headers['access-control-allow-credentials'] === undefined,
    'no Cache-Control': status === 402 ? cache === 'no-store' : cache.includes('no-store') || isDocument,
    'a 405 without Allow': status !== 405 || (headers.allow ?? '').includes('OPTIONS'),
  };
  return Object.keys(checks).filter((fault) => !checks[fault]);
}

/** Where an answer breaks the contract. */
export function faultsOf(answer: WireAnswer | undefined, method = 'GET'): string[] {
  if (!answer) return ['no answer'];
  const { status, body } = answer;
  if (![...SUCCESS, 417, ...[...STATUSES.values()].flat()].includes(status)) return [`status ${status}`];
  const bare = body === '' && (method === 'HEAD' || SUCCESS.includes(status) || WITHOUT_BODY.includes(status));
  const inBody = SUCCESS.includes(status) || bare ? [] : bodyFaults(answer);
  return [...headerFaults(answer), ...inBody].map((fault) => `${status}: ${fault}`);
}

/** Asserts that an answer is one of the contract's. */
export function expectInTable(answer: WireAnswer | undefined, method = 'GET'): void {
  expect(faultsOf(answer, method)).toEqual([]);
}

/** Asserts status and code, and that the answer is one of the contract's. */
export function expectRefusal(answer: WireAnswer | undefined, expected: string, method = 'GET'): void {
  expect(statusAndCode(answer)).toBe(expected);
  expectInTable(answer, method);
}
