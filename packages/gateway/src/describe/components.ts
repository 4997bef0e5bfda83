import { HEADERS } from '@asset-gateway/protocol';
import type { JsonObject, JsonSchema } from './schemas.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });

/** The body of every refusal. */
export const ERROR: JsonSchema = {
  type: 'object',
  description: 'A refusal: a stable code, and a sentence that says what to do next.',
  properties: {
    ok: { const: false },
    error: text('The stable code.'),
    message: text('One sentence.'),
    requestId: text('What to quote to the operator.'),
    issues: {
      type: 'array',
      maxItems: 20,
      description: 'Every rule that the request breaks.',
      items: {
        type: 'object',
        properties: {
          in: { enum: ['path', 'query', 'body'] },
          name: text('The parameter.'),
          rule: text('The keyword or rule that is broken.'),
          message: text('What is allowed.'),
        },
        required: ['in', 'name', 'rule', 'message'],
      },
    },
    retryAfterSeconds: { type: 'integer', minimum: 1, description: 'As Retry-After.' },
    payment: {
      type: 'object',
      description: 'What became of the payment: an unused one is to be sent again, never made anew.',
      properties: {
        state: { enum: ['unused', 'in_progress', 'pending', 'refused', 'settled'] },
        transaction: text('base58 signature of the transaction.'),
      },
      required: ['state'],
    },
  },
  required: ['ok', 'error', 'message', 'requestId'],
};

/** What it has beside, where the budget is shared out. */
export const SCOPE: JsonSchema = {
  enum: ['group', 'wallet'],
  description:
    'With rate_limited: whose share is used up, where the budget is not: that of the address, or of the wallet.',
};

/** What a 402 adds to it. */
export const PAYMENT_REQUIRED: JsonSchema = {
  type: 'object',
  description: `x402's PaymentRequired, as in the header ${HEADERS.paymentRequired}.`,
  properties: {
    x402Version: { const: 2 },
    resource: {
      type: 'object',
      properties: {
        url: text('The URL asked for.'),
        description: text('What it answers.'),
        mimeType: text('As what.'),
      },
      required: ['url'],
    },
    accepts: {
      type: 'array',
      description: 'What may be paid; empty where a signature opens the route.',
      items: {
        type: 'object',
        properties: {
          scheme: { const: 'exact' },
          network: text('CAIP-2.'),
          amount: text('Millionths of a dollar in USDC, decimal digits.'),
          asset: text('Mint of USDC.'),
          payTo: text('Who is paid.'),
          maxTimeoutSeconds: { type: 'integer' },
          extra: { type: 'object', description: 'The fee payer, and the memo that binds the payment to the request.' },
        },
        required: ['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra'],
      },
    },
    extensions: { type: 'object', description: 'sign-in-with-x: what to sign; bazaar: how the route is called.' },
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

/** The headers that a payment is sent in. */
export const PARAMETERS: JsonObject = {
  [HEADERS.payment]: paymentHeader(HEADERS.payment, 'The payment, base64 of JSON (x402 PaymentPayload, version 2).'),
  [HEADERS.version1Payment]: paymentHeader(
    HEADERS.version1Payment,
    'The same for clients of x402 version 1; send one of the two.',
  ),
};

/** How a wallet signs in. */
export const SECURITY_SCHEMES: JsonObject = {
  siwx: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.signIn,
    description: "A wallet's signature of the challenge in a 402, base64 of JSON. Every request needs one.",
    'x-agentcash-auth-kind': 'siwx',
  },
};
