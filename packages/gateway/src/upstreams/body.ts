import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { MAX_BYTES, tooLarge, type UpstreamResponse } from './response-handler.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const unusable = (reason: string): UpstreamRefusal =>
  new UpstreamRefusal('upstream_invalid_response', 'failed', { reason });

function decoded(body: Readable, encoding: string): AsyncIterable<Buffer> {
  if (encoding === 'identity') return body;
  const decoder = DECODERS.get(encoding)?.();
  if (!decoder) throw unusable('content encoding');
  // Errors of either end up in the iteration over the decoder.
  return pipeline(body, decoder, () => undefined);
}

async function decode(body: Readable, encoding: string, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(body, encoding)) {
      size += chunk.length;
      if (size > limit) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw unusable('compression');
    throw error;
  }
  return Buffer.concat(chunks, size);
}

/** Reads a body to its end, decompressed, and stops at the limit. Rejects with a refusal or the transport's error. */
const readBytes = (response: UpstreamResponse, limit: number): Promise<Buffer> =>
  response.encoded
    ? decode(response.encoded, String(response.headers['content-encoding']).toLowerCase(), limit)
    : response.whole(limit);

/** The body's JSON: its text as it was sent, and its value. Anything else is a refusal. */
export async function readJson(
  response: UpstreamResponse,
  limit = MAX_BYTES,
): Promise<{ text: string; value: unknown }> {
  if (!JSON_TYPE.test(String(response.headers['content-type'] ?? ''))) throw unusable('content type');
  const bytes = await readBytes(response, limit);
  try {
    const text = utf8.decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw unusable('not JSON');
  }
}
