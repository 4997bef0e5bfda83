import { REFUSALS } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import type { WireAnswer } from './wire.ts';

/** Codes by status, as in section 1 of the contract. */
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid_request', 'invalid_json', 'bad_request', 'invalid_provider_filter', 'upstream_rejected'],
  402: [
    'sign_in_required',
    'invalid_siwx_header',
    'invalid_siwx_expired',
    'invalid_siwx_nonce',
    'invalid_siwx_domain_mismatch',
    'invalid_siwx_uri_mismatch',
    'invalid_siwx_issued_at_too_old',
    'invalid_siwx_issued_at_in_future',
    'invalid_siwx_not_yet_valid',
    'invalid_siwx_unsupported_chain',
    'invalid_siwx_malformed_signature',
    'invalid_siwx_signature',
    'payment_required',
    'payment_malformed',
    'no_matching_requirements',
    'payment_rejected',
    ...Object.keys(REFUSALS).filter((code) => code.startsWith('invalid_exact_svm_')),
  ],
  403: ['blocked'],
  404: ['not_found', 'upstream_rejected'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  409: ['payment_in_progress', 'payment_already_used'],
  413: ['body_too_large'],
  414: ['uri_too_long'],
  415: ['unsupported_media_type'],
  422: ['upstream_rejected'],
  429: ['rate_limited'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  502: [
    'upstream_error',
    'upstream_auth_failed',
    'upstream_unreachable',
    'upstream_redirect',
    'upstream_invalid_response',
    'facilitator_invalid_response',
  ],
  503: [
    'upstream_rate_limited',
    'upstream_unavailable',
    'state_unavailable',
    'overloaded',
    'shutting_down',
    'settlement_pending',
    'facilitator_unavailable',
  ],
  504: ['upstream_timeout'],
};

const SUCCESS = [200, 204, 304];
/** Node's answers to unreadable requests may have no body. */
const WITHOUT_BODY = [400, 408, 417, 431];
const WITH_RETRY_AFTER = ['rate_limited', ...(CODES[503] ?? [])];
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

function parsed(body: string): Record<string, unknown> {
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
    'a code outside the table': CODES[status]?.includes(code) === true,
    'ok is not false': refusal.ok === false,
    'no sentence': typeof refusal.message === 'string' && /^[A-Z].*\S$/.test(refusal.message),
    'another request id in the body': refusal.requestId === headers['x-request-id'],
    'an unknown member': Object.keys(refusal).every((name) => known.includes(name)),
    'no Retry-After': !WITH_RETRY_AFTER.includes(code) || /^[1-9]\d*$/.test(headers['retry-after'] ?? ''),
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
  if (!SUCCESS.includes(status) && CODES[status] === undefined && status !== 417) return [`status ${status}`];
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
