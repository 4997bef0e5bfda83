/** Matches control, invisible and other characters that people do not see, but terminals and language models read. */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const BLANK = /[\t\n\r\u2028\u2029]/;

/** Returns foreign text with hidden characters replaced by U+FFFD. Line feeds and tabs stay. */
export const harmless = (text: string): string =>
  text.replace(HIDDEN, (hidden) => (hidden === '\n' || hidden === '\t' ? hidden : '\ufffd'));

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Returns foreign text with hidden characters as JSON escapes. Line feeds stay. */
export const withEscapes = (text: string): string =>
  text.replace(HIDDEN, (hidden) => (hidden === '\n' ? hidden : hidden.split('').map(escaped).join('')));

/** Returns foreign text as one line of at most `limit` characters, without hidden characters; empty for other types. */
export const oneLine = (text: unknown, limit: number): string =>
  typeof text === 'string' ? text.slice(0, limit).replace(HIDDEN, (hidden) => (BLANK.test(hidden) ? ' ' : '')) : '';

/** Thrown if the body is longer than the reader's limit. */
export class TooLarge extends Error {}

/** A resizable ArrayBuffer (ES2024), whose memory can be released at once. */
type Growing = ArrayBuffer & { resize(bytes: number): void };
const Growing = ArrayBuffer as unknown as new (bytes: number, options: { readonly maxByteLength: number }) => Growing;

/** Reads a body of at most `maxBytes`. Cancels a longer body and throws `TooLarge`. */
export async function readBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = new Growing(0, { maxByteLength: maxBytes });
  const bytes = new Uint8Array(buffer);
  const reader = body?.getReader();
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      const at = buffer.byteLength;
      if (at + part.value.length > maxBytes) throw new TooLarge(`more than ${maxBytes} bytes`);
      buffer.resize(at + part.value.length);
      bytes.set(part.value, at);
    }
    return new Uint8Array(buffer.slice(0));
  } catch (error) {
    reader?.cancel().catch(() => undefined);
    throw error;
  } finally {
    buffer.resize(0);
  }
}

/**
 * Whether a request with `redirect: 'manual'` got a redirect, whose target may be another origin. Browsers report its status as 0. A 304,
 * the answer to a conditional request, is not a redirect. Cloudflare Workers refuse `redirect: 'error'`.
 */
export const isRedirect = ({ ok, status }: Response): boolean => !ok && status < 400;
