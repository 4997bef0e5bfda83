import { HEADERS } from '@asset-gateway/protocol';
import type { JsonObject, JsonSchema } from './schemas.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });

/** The body of every refusal. */
export const ERROR: JsonSchema = {
  type: 'object',
  description: 'A refusal: a stable code and a sentence that says what to do next.',
  properties: {
    ok: { const: false },
    error: text('The stable code.'),
    message: text('One sentence.'),
    requestId: text('Quote it to the operator.'),
    issues: {
      type: 'array',
      maxItems: 20,
      description: 'The broken rules.',
      items: {
        type: 'object',
        properties: {
          in: { enum: ['path', 'query', 'body'] },
          name: text('The parameter.'),
          rule: text('The broken keyword or rule.'),
          message: text('What is allowed.'),
        },
        required: ['in', 'name', 'rule', 'message'],
      },
    },
    retryAfterSeconds: { type: 'integer', minimum: 1, description: 'As Retry-After.' },
    payment: {
      type: 'object',
      description: 'State of the payment. Resend an unused payment; never make a new one instead.',
      properties: {
        state: { enum: ['unused', 'in_progress', 'pending', 'refused', 'settled'] },
        transaction: text('The base58 signature of the transaction.'),
      },
      required: ['state'],
    },
  },
  required: ['ok', 'error', 'message', 'requestId'],
};

/** Additional member with fair shares. */
export const SCOPE: JsonSchema = {
  enum: ['group', 'wallet'],
  description:
    "With rate_limited: the exhausted share, the address's group or the wallet. Absent if the whole budget is used up.",
};

/** Members that a 402 adds. */
export const PAYMENT_REQUIRED: JsonSchema = {
  type: 'object',
  description: `x402's PaymentRequired, as in the header ${HEADERS.paymentRequired}.`,
  properties: {
    x402Version: { const: 2 },
    resource: {
      type: 'object',
      properties: {
        url: text('The requested URL.'),
        description: text('What the route answers.'),
        mimeType: text('The media type of its answer.'),
      },
      required: ['url'],
    },
    accepts: {
      type: 'array',
      description: 'Payment requirements; empty if the route needs only a signature.',
      items: {
        type: 'object',
        properties: {
          scheme: { const: 'exact' },
          network: text('CAIP-2.'),
          amount: text('Millionths of a dollar in USDC, decimal digits.'),
          asset: text('Mint of USDC.'),
          payTo: text('The payee.'),
          maxTimeoutSeconds: { type: 'integer' },
          extra: { type: 'object', description: 'The fee payer and the memo that binds the payment to the request.' },
        },
        required: ['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra'],
      },
    },
    extensions: { type: 'object', description: 'sign-in-with-x: the text to sign; bazaar: how to call the route.' },
  },
  required: ['x402Version', 'resource', 'accepts', 'extensions'],
};

const paymentHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

/** Payment headers. */
export const PARAMETERS: JsonObject = {
  [HEADERS.payment]: paymentHeader(HEADERS.payment, 'The payment: base64 JSON (x402 PaymentPayload, version 2).'),
  [HEADERS.version1Payment]: paymentHeader(
    HEADERS.version1Payment,
    'The same for clients of x402 version 1. Send only one of the two.',
  ),
};

/** The security scheme of a sign-in. */
export const SECURITY_SCHEMES: JsonObject = {
  siwx: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.signIn,
    description: "A wallet's signature over the challenge of a 402, base64 JSON. Every request needs its own.",
    'x-agentcash-auth-kind': 'siwx',
  },
};
