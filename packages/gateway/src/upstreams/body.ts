import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { type Ending, UpstreamRefusal } from './upstream-refusal.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const unusable = (reason: string, ending: Ending = 'failed'): UpstreamRefusal =>
  new UpstreamRefusal('upstream_invalid_response', ending, { reason });

/** An upstream's answer before its body is read. */
export type UpstreamResponse = Dispatcher.ResponseData<unknown>;

type Headers = UpstreamResponse['headers'];

function decoded(body: Readable, headers: Headers): AsyncIterable<Buffer> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return body;
  const decoder = DECODERS.get(encoding)?.();
  if (!decoder) throw unusable('content encoding');
  // Errors of either end up in the iteration over the decoder.
  return pipeline(body, decoder, () => undefined);
}

/** Reads a body to its end, decompressed, and stops at the limit. Rejects with a refusal or the transport's error. */
export async function readBytes({ body, headers }: UpstreamResponse, limit = MAX_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(body, headers)) {
      size += chunk.length;
      // How much there is to say depends on what was asked.
      if (size > limit) throw unusable('too large', 'answered');
      chunks.push(chunk);
    }
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw unusable('compression');
    throw error;
  }
  return Buffer.concat(chunks, size);
}

/** The body's JSON: its text as it was sent, and its value. Anything else is a refusal. */
export async function readJson(response: UpstreamResponse, limit?: number): Promise<{ text: string; value: unknown }> {
  if (!JSON_TYPE.test(String(response.headers['content-type'] ?? ''))) throw unusable('content type');
  const bytes = await readBytes(response, limit);
  try {
    const text = utf8.decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw unusable('not JSON');
  }
}
