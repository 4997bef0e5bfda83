import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Refusal } from '@asset-gateway/protocol';
import type { Dispatcher } from 'undici';

const MAX_BYTES = 5 * 1024 * 1024;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const unusable = (reason: string): Refusal => new Refusal('upstream_invalid_response', { reason });

type Headers = Dispatcher.ResponseData['headers'];

function decoded(body: Readable, headers: Headers): AsyncIterable<Buffer> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return body;
  const decoder = DECODERS.get(encoding)?.();
  if (!decoder) throw unusable('content encoding');
  // Errors of either end up in the iteration over the decoder.
  return pipeline(body, decoder, () => undefined);
}

/** Reads a body to its end, decompressed, and stops at the limit. Rejects with a refusal or the transport's error. */
export async function readBytes({ body, headers }: Dispatcher.ResponseData, limit = MAX_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(body, headers)) {
      size += chunk.length;
      if (size > limit) throw unusable('too large');
      chunks.push(chunk);
    }
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw unusable('compression');
    throw error;
  }
  return Buffer.concat(chunks, size);
}

/** The body's JSON: its text as it was sent, and its value. Anything else is a refusal. */
export async function readJson(
  response: Dispatcher.ResponseData,
  limit?: number,
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
