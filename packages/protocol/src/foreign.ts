/** What a terminal obeys, a reader cannot see, or a language model reads and a person does not. */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const BLANK = /[\t\n\r\u2028\u2029]/;

/** The text of another party with U+FFFD in place of each hidden character; line ends and tabs stay. */
export const harmless = (text: string): string =>
  text.replace(HIDDEN, (hidden) => (hidden === '\n' || hidden === '\t' ? hidden : '\ufffd'));

/** The text of another party as one line of at most `limit` characters, without hidden characters; not a text: an empty one. */
export const oneLine = (text: unknown, limit: number): string =>
  typeof text === 'string' ? text.slice(0, limit).replace(HIDDEN, (hidden) => (BLANK.test(hidden) ? ' ' : '')) : '';

/** A member of parsed JSON; undefined if the value is no object or has no such member. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** More bytes came than the reader takes. */
export class TooLarge extends Error {}

/** A buffer that grows in place and gives its memory back at once, as ES2024 has it. */
type Growing = ArrayBuffer & { resize(bytes: number): void };
const Growing = ArrayBuffer as unknown as new (bytes: number, options: { readonly maxByteLength: number }) => Growing;

/** The bytes of a body of at most `maxBytes`. Cancels a longer body and throws `TooLarge`. */
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
