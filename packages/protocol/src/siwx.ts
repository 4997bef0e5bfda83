import { isObject } from './json.ts';
import { SIGN_IN_NETWORKS } from './networks.ts';

/** The pattern of a sign-in's dates, RFC 3339 in UTC. It also matches impossible days such as 31 February. */
export const SIWX_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** The PKCS #8 prefix of an Ed25519 seed (RFC 8410). */
const HEAD = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/** Returns a 32-byte Ed25519 seed as PKCS #8 in DER, the format of crypto libraries. */
export const pkcs8OfSeed = (seed: Uint8Array): Uint8Array => Uint8Array.of(...HEAD, ...seed);

/** The signed fields of a sign-in. */
export interface SiwxMessage {
  /** Host and port of the gateway. */
  readonly domain: string;
  /** The wallet's address in base58. */
  readonly address: string;
  /** A sentence for the person who signs. */
  readonly statement?: string;
  /** The URL that the signature covers. */
  readonly uri: string;
  /** The version of EIP-4361. */
  readonly version: string;
  /** The chain (CAIP-2): `solana:<chain reference>`. */
  readonly chainId: string;
  /** Limits the signature to one request. */
  readonly nonce: string;
  /** When the nonce was issued: RFC 3339, UTC. */
  readonly issuedAt: string;
  /** When the signature expires: RFC 3339, UTC. */
  readonly expirationTime?: string;
  /** When the signature becomes valid: RFC 3339, UTC. */
  readonly notBefore?: string;
  /** An id that the issuer chose. */
  readonly requestId?: string;
  /** URLs that the signature also covers. */
  readonly resources?: readonly string[];
}

/** Returns the text whose UTF-8 bytes a Solana wallet signs. Source: x402 sign-in-with-x, with the layout of EIP-4361. */
export function siwxMessageText(message: SiwxMessage): string {
  const lines = [`${message.domain} wants you to sign in with your Solana account:`, message.address, ''];
  if (message.statement) lines.push(message.statement, '');
  lines.push(
    `URI: ${message.uri}`,
    `Version: ${message.version}`,
    `Chain ID: ${message.chainId.split(':')[1]}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
  );
  if (message.expirationTime) lines.push(`Expiration Time: ${message.expirationTime}`);
  if (message.notBefore) lines.push(`Not Before: ${message.notBefore}`);
  if (message.requestId) lines.push(`Request ID: ${message.requestId}`);
  if (message.resources?.length) lines.push('Resources:', ...message.resources.map((resource) => `- ${resource}`));
  return lines.join('\n');
}

/** The JSON of the SIGN-IN-WITH-X header. */
export interface SiwxPayload extends SiwxMessage {
  /** The kind of signature, `ed25519`. */
  readonly type: string;
  /** How the text was signed: `siws`, also if it is absent. The gateway refuses others. */
  readonly signatureScheme?: string;
  /** The signature of 64 bytes in base58. */
  readonly signature: string;
}

const REQUIRED: readonly (keyof SiwxPayload)[] = [
  'domain',
  'address',
  'uri',
  'version',
  'chainId',
  'type',
  'nonce',
  'issuedAt',
  'signature',
];
const OPTIONAL: readonly (keyof SiwxPayload)[] = [
  'statement',
  'expirationTime',
  'notBefore',
  'requestId',
  'signatureScheme',
  'resources',
];
// Marked as pure, so that a bundler drops these names from a page that only signs in.
const FIELDS = /* @__PURE__ */ REQUIRED.concat(OPTIONAL);
const MAX_FIELD_LENGTH = 1024;
const MAX_RESOURCES = 8;
/** Matches control characters and line separators, which could give two payloads the same signed text. */
const FORBIDDEN = /[\p{Cc}\u2028\u2029]/u;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_FIELD_LENGTH && !FORBIDDEN.test(value);

const isResources = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= MAX_RESOURCES && value.every(isText);

/** Validates parsed JSON as a sign-in and drops unknown fields. Undefined if it is invalid. */
export function readSiwxPayload(json: unknown): SiwxPayload | undefined {
  if (!isObject(json)) return undefined;
  const payload: Partial<Record<keyof SiwxPayload, unknown>> = {};
  for (const name of FIELDS) {
    const value = json[name];
    if (value === undefined) continue;
    if (!(name === 'resources' ? isResources(value) : isText(value))) return undefined;
    payload[name] = value;
  }
  return REQUIRED.every((name) => payload[name]) ? (payload as SiwxPayload) : undefined;
}

/** The key of the sign-in extension in a PaymentRequired object. */
export const SIWX_EXTENSION = 'sign-in-with-x';

/** The gateway's fields of a sign-in. The client adds its address, a chain and the signature. */
export interface SiwxInfo {
  /** Host and port of the gateway. */
  readonly domain: string;
  /** The URL that the signature covers. */
  readonly uri: string;
  /** The version of EIP-4361. */
  readonly version: '1';
  /** Limits the signature to one request: 32 lower-case hex digits. */
  readonly nonce: string;
  /** When the nonce was issued: RFC 3339, UTC. */
  readonly issuedAt: string;
  /** When the nonce expires: RFC 3339, UTC. */
  readonly expirationTime: string;
  /** A sentence for the person who signs. */
  readonly statement: string;
}

const text = { type: 'string' };
const uri = { type: 'string', format: 'uri' };
const dateTime = { type: 'string', format: 'date-time' };

/** The published schema of a sign-in payload. */
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    domain: text,
    address: text,
    statement: text,
    uri,
    version: text,
    chainId: text,
    type: text,
    nonce: text,
    issuedAt: dateTime,
    expirationTime: dateTime,
    notBefore: dateTime,
    requestId: text,
    resources: { type: 'array', items: uri },
    signature: text,
  },
  required: REQUIRED,
};

const chain = (chainId: string) => ({ chainId, type: 'ed25519' });

const SUPPORTED_CHAINS = /* @__PURE__ */ SIGN_IN_NETWORKS.map(chain);

/** Returns the sign-in extension of a challenge, for one network or all. */
export const siwxExtension = (info: SiwxInfo, network?: string) => ({
  info,
  supportedChains: network === undefined ? SUPPORTED_CHAINS : [chain(network)],
  schema: SCHEMA,
});
