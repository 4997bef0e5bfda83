/** x402's PaymentRequired, version 2: the challenge in a 402's header and body. */
export interface PaymentRequired {
  /** The version of x402. */
  readonly x402Version: 2;
  /** The refusal code that says why the gateway asks. */
  readonly error: string;
  /** The resource that the payment or signature is for. */
  readonly resource: Resource;
  /** The payments that the gateway accepts. Empty if the route needs only a signature. */
  readonly accepts: readonly unknown[];
  /** x402's extensions by name, such as `sign-in-with-x`. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** x402's ResourceInfo: the protected resource. */
export interface Resource {
  /** The requested URL. */
  readonly url: string;
  /** What the route answers. */
  readonly description: string;
  /** The media type of the answers. */
  readonly mimeType: string;
  /** The service's name: 1 to 32 printable ASCII characters. */
  readonly serviceName?: string;
  /** What the service is about: at most five words, each no longer than a service name. */
  readonly tags?: readonly string[];
}

/** Names of headers. */
export const HEADERS = {
  paymentRequired: 'PAYMENT-REQUIRED',
  signIn: 'SIGN-IN-WITH-X',
  payment: 'PAYMENT-SIGNATURE',
  paymentResponse: 'PAYMENT-RESPONSE',
  /** Version 1 of x402. */
  version1Payment: 'X-PAYMENT',
  version1PaymentResponse: 'X-PAYMENT-RESPONSE',
  replayed: 'Idempotency-Replayed',
  replayNonce: 'Replay-Nonce',
  /** The status of an operator's API, unless it is 200. */
  upstreamStatus: 'Upstream-Status',
  /** The charged credit and the balance. */
  credit: 'Credit',
} as const;

/** The request headers that scripts may send: the list of the specification (docs/conformance.md 4.5). */
export const ALLOWED_HEADERS =
  'Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, X-PAYMENT-RESPONSE, PAYMENT-RESPONSE, SIGN-IN-WITH-X, Authorization';

/** The response headers that a preflight exposes to scripts: the list of the specification (docs/conformance.md 4.5). */
export const EXPOSED_HEADERS = 'Content-Type, WWW-Authenticate, X-PAYMENT-RESPONSE, PAYMENT-RESPONSE';

/** The header that names the response headers which scripts may read. */
export const EXPOSE_HEADERS = 'Access-Control-Expose-Headers';

/** The official browser client sends this response header as a request header, so a preflight must allow it. */
export const SENT_BY_MISTAKE = EXPOSE_HEADERS;

const ALSO_EXPOSED =
  'PAYMENT-REQUIRED, Retry-After, RateLimit, RateLimit-Policy, Replay-Nonce, X-Request-Id, Idempotency-Replayed';

/** CORS headers of every response. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': `${EXPOSED_HEADERS}, ${ALSO_EXPOSED}`,
};
