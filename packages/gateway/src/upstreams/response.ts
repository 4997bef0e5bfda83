import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { LIMITS } from '../limits.ts';
import { AnswerTooLarge, type ResponseHandler } from '../pool.ts';
import { UpstreamRefusal } from './upstream.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const gunzipped = promisify(gunzip);

const DECODERS = new Map<string, (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>>([
  ['identity', async (body) => body],
  ['gzip', gunzipped],
  ['x-gzip', gunzipped],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const unusable = (reason: string): UpstreamRefusal =>
  new UpstreamRefusal('upstream_invalid_response', 'failed', { reason });

function refuseEncoding(error: NodeJS.ErrnoException): never {
  if (error.code === 'ERR_BUFFER_TOO_LARGE') throw new AnswerTooLarge();
  throw error.code?.startsWith('Z_') ? unusable('compression') : error;
}

const [QUOTE, BACKSLASH, OPENING, CLOSING, COLON, SPACE] = [0x22, 0x5c, 0x7b, 0x7d, 0x3a, 0x20];
/** The bit by which braces differ from brackets. */
const BRACE = 0x20;

/** Returns the index of the quote that ends a text, or the length of the bytes. */
function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Whether the names of the members are few. JSON.parse takes microseconds for each new name. */
function hasFewNames(json: Buffer): boolean {
  const names = new Set<string>();
  for (let at = json.indexOf(QUOTE); at >= 0; at = json.indexOf(QUOTE, at)) {
    const end = endOfText(json, at);
    let next = end + 1;
    while ((json[next] ?? COLON) <= SPACE) next++;
    if (json[next] === COLON) names.add(json.toString('latin1', at, end));
    if (names.size > LIMITS.oneAnswerNames) return false;
    at = next;
  }
  return true;
}

/**
 * Throws a refusal of JSON that would take long to parse. Too many lists or names count as too large an answer, because the request decides
 * how many there are. Scans bytes, because to scan characters takes twice as long.
 */
function assertParsable(json: Buffer): void {
  let [depth, lists, members] = [0, 0, 0];
  for (let at = 0; at < json.length; at++) {
    const sign = json[at] ?? 0;
    if (sign === QUOTE) at = endOfText(json, at);
    else if (sign === COLON) members++;
    else if ((sign | BRACE) === CLOSING) depth--;
    else if ((sign | BRACE) === OPENING) {
      depth++;
      lists++;
      if (depth > LIMITS.oneAnswerDepth) throw unusable('nested too deep');
      if (lists > LIMITS.oneAnswerLists) throw new AnswerTooLarge();
    }
  }
  if (members > LIMITS.oneAnswerNames && !hasFewNames(json)) throw new AnswerTooLarge();
}

/** Returns the original text and the value of a JSON body. Throws a refusal of any other body. */
export async function readJson(
  response: ResponseHandler,
  limit = LIMITS.oneAnswerBytes,
): Promise<{ text: string; value: unknown }> {
  const { headers } = response;
  if (!JSON_TYPE.test(String(headers['content-type'] ?? ''))) throw unusable('content type');
  const decode = DECODERS.get(String(headers['content-encoding'] ?? 'identity').toLowerCase());
  if (!decode) throw unusable('content encoding');
  const bytes = await decode(await response.whole(limit), { maxOutputLength: limit }).catch(refuseEncoding);
  assertParsable(bytes);
  try {
    const text = utf8.decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw unusable('not JSON');
  }
}
