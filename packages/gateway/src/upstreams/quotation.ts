import type { ResponseHandler } from '../pool.ts';
import { readJson } from './response.ts';

const MAX_ERROR_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 200;
const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S} ]+$/u;

function messageIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const error: unknown = Reflect.get(value, 'error');
  if (typeof error === 'string') return error;
  const own = ['message', 'detail', 'title'].map((name) => Reflect.get(value, name));
  return messageIn(error) ?? own.find((each) => typeof each === 'string');
}

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const MAX_ASCII = 0x7f;

/** Whether a text contains one of these secrets, plain or with HTML entities. */
export function holdsSecret(text: string, secrets: readonly string[], read = (spelled: string) => spelled): boolean {
  const sign = (entity: string, decimal?: string, hex?: string, name = '') => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return SIGNS[name.toLowerCase()] ?? (code <= MAX_ASCII ? String.fromCharCode(code) : entity);
  };
  const texts = [text, text.includes('&') ? text.replace(ENTITY, sign) : text].map(read);
  return secrets.some((secret) => texts.some((each) => each.includes(read(secret))));
}

/** An address in a message would reveal how the upstream is built. */
const ADDRESS = /:\/\/|\d\.\d{1,3}\.\d{1,3}\.\d/;

/** A sentence that quotes the upstream, if its message is short, printable and without secrets. */
export function quotation(words: unknown, secrets: readonly string[]): string | undefined {
  if (typeof words !== 'string' || words.length > MAX_MESSAGE_LENGTH || !PRINTABLE.test(words)) return undefined;
  const isSecret = ADDRESS.test(words) || holdsSecret(words, secrets, (spelled) => spelled.toLowerCase());
  return isSecret ? undefined : `The upstream says: ${words}`;
}

/** The upstream's reason for its refusal, if clients may see it. */
export async function reasonIn(response: ResponseHandler, secrets: readonly string[]): Promise<string | undefined> {
  const body = await readJson(response, MAX_ERROR_BYTES).catch(() => undefined);
  return quotation(messageIn(body?.value), secrets);
}
