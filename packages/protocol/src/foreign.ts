/** What a terminal obeys, a reader cannot see, or a language model reads and a person does not. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const BLANK = /[\t\n\r\u2028\u2029]/;

/** The text of another party with U+FFFD in place of each hidden character; line ends and tabs stay. */
export const harmless = (text: string): string =>
  text.replace(HIDDEN, (hidden) => (hidden === '\n' || hidden === '\t' ? hidden : '\ufffd'));

/** The text of another party as one line of at most `limit` characters, without hidden characters; not a text: an empty one. */
export const oneLine = (text: unknown, limit: number): string =>
  typeof text === 'string' ? text.slice(0, limit).replace(HIDDEN, (hidden) => (BLANK.test(hidden) ? ' ' : '')) : '';

/** More bytes came than the reader takes. */
export class TooLarge extends Error {}

/** Bytes are copied into blocks, as what the network hands out is several times as large until it is collected. */
const BLOCK_BYTES = 1_048_576;

function joined(blocks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const block of blocks) {
    bytes.set(block, at);
    at += block.length;
  }
  return bytes;
}

/** The bytes of a body of at most `maxBytes`. Cancels a longer body and throws `TooLarge`. */
export async function readBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  let block = new Uint8Array(0);
  let [length, filled] = [0, 0];
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    const { value } = part;
    length += value.length;
    if (length > maxBytes) {
      reader?.cancel().catch(() => undefined);
      throw new TooLarge(`more than ${maxBytes} bytes`);
    }
    if (filled + value.length > block.length) {
      blocks.push(block.subarray(0, filled));
      block = new Uint8Array(Math.max(value.length, Math.min(length, BLOCK_BYTES)));
      filled = 0;
    }
    block.set(value, filled);
    filled += value.length;
  }
  return joined([...blocks, block.subarray(0, filled)], length);
}
