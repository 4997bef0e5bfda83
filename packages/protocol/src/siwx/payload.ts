import type { SiwxMessage } from './message.ts';

/** A sign-in as it travels, base64 of its JSON, in the SIGN-IN-WITH-X header. */
export interface SiwxPayload extends SiwxMessage {
  readonly type: string;
  readonly signatureScheme?: string;
  /** base58 of 64 bytes. */
  readonly signature: string;
}

const REQUIRED = ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'];
const OPTIONAL = ['statement', 'expirationTime', 'notBefore', 'requestId', 'signatureScheme'];
const MAX_FIELD_LENGTH = 1024;
const MAX_RESOURCES = 8;
/** Control characters and line separators could make one signed text read as two different payloads. */
const FORBIDDEN = /[\p{Cc}\u2028\u2029]/u;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_FIELD_LENGTH && !FORBIDDEN.test(value);

const isResources = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= MAX_RESOURCES && value.every(isText);

/** Reads a parsed JSON value as a sign-in: known fields of the right type and size, others dropped; else nothing. */
export function readSiwxPayload(json: unknown): SiwxPayload | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  const fields = new Map(Object.entries(json));
  const payload: Record<string, unknown> = {};
  for (const name of REQUIRED) {
    if (!isText(fields.get(name)) || fields.get(name) === '') return undefined;
    payload[name] = fields.get(name);
  }
  for (const name of OPTIONAL) {
    if (!fields.has(name)) continue;
    if (!isText(fields.get(name))) return undefined;
    payload[name] = fields.get(name);
  }
  if (fields.has('resources')) {
    if (!isResources(fields.get('resources'))) return undefined;
    payload.resources = fields.get('resources');
  }
  return payload as unknown as SiwxPayload;
}
