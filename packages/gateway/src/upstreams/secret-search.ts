import { UpstreamRefusal } from './upstream.ts';

/** A character that several characters spell, and how many these are. */
interface Spelled {
  readonly code: number;
  readonly length: number;
}

/**
 * Returns the text with each spelling that `read` finds at a mark replaced by the character that it spells. `replace` with a function takes
 * seconds for a million of them.
 */
function unspelled(text: string, mark: string, read: (text: string, at: number) => Spelled | undefined): string {
  if (!text.includes(mark)) return text;
  const units = new Uint16Array(text.length);
  const markCode = mark.charCodeAt(0);
  let size = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const found = code === markCode ? read(text, at) : undefined;
    units[size++] = found?.code ?? code;
    at += found?.length ?? 1;
  }
  return Buffer.from(units.buffer, 0, size * units.BYTES_PER_ELEMENT).toString('utf16le');
}

const ENTITY = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/i;
const MAX_ENTITY = 10;
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const MAX_ASCII = 0x7f;

/** Returns the ASCII character that an HTML entity spells; undefined if there is none here. */
function entityAt(text: string, at: number): Spelled | undefined {
  const [entity = '', decimal, hex = '', name = ''] = ENTITY.exec(text.slice(at, at + MAX_ENTITY)) ?? [];
  if (entity === '') return undefined;
  const number = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
  const code = SIGNS[name.toLowerCase()]?.charCodeAt(0) ?? number;
  return code <= MAX_ASCII ? { code, length: entity.length } : undefined;
}

const AS_THEY_ARE = '"\\/';
const UNICODE_DIGITS = 4;

/** Returns the character that a JSON escape spells; undefined for a control character that has a letter of its own. */
function escapeAt(json: string, at: number): Spelled | undefined {
  const sign = json.charAt(at + 1);
  if (sign !== 'u') return AS_THEY_ARE.includes(sign) ? { code: json.charCodeAt(at + 1), length: 2 } : undefined;
  const digits = json.slice(at + 2, at + 2 + UNICODE_DIGITS);
  return { code: Number.parseInt(digits, 16), length: 2 + UNICODE_DIGITS };
}

/** Whether a text contains one of these secrets, plain or with HTML entities. */
export function holdsSecret(text: string, secrets: readonly string[], read = (spelled: string) => spelled): boolean {
  const texts = [text, unspelled(text, '&', entityAt)].map(read);
  return secrets.some((secret) => texts.some((each) => each.includes(read(secret))));
}

/** Throws a refusal of a valid JSON text that contains one of the upstream's secrets, plain or with escapes. */
export function assertHoldsNoSecret(json: string, secrets: readonly string[]): void {
  if (holdsSecret(unspelled(json, '\\', escapeAt), secrets)) {
    throw new UpstreamRefusal('upstream_invalid_response', 'failed', { reason: 'holds our key' });
  }
}
