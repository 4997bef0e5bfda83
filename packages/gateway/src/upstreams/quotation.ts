import type { ResponseHandler } from '../pool.ts';
import { readJson } from './response.ts';
import { holdsSecret } from './secret-search.ts';

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

/** Matches an address, which would reveal how the upstream is built. */
const ADDRESS = /:\/\/|\d\.\d{1,3}\.\d{1,3}\.\d/;

/** Returns a sentence that quotes the upstream; undefined unless its message is short, printable and without secrets. */
export function quotation(words: unknown, secrets: readonly string[]): string | undefined {
  if (typeof words !== 'string' || words.length > MAX_MESSAGE_LENGTH || !PRINTABLE.test(words)) return undefined;
  const isSecret = ADDRESS.test(words) || holdsSecret(words, secrets, (spelled) => spelled.toLowerCase());
  return isSecret ? undefined : `The upstream says: ${words}`;
}

/** Returns the upstream's reason for its refusal, if clients may see it. */
export async function reasonIn(response: ResponseHandler, secrets: readonly string[]): Promise<string | undefined> {
  const body = await readJson(response, MAX_ERROR_BYTES).catch(() => undefined);
  return quotation(messageIn(body?.value), secrets);
}
