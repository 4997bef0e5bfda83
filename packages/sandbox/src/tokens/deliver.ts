import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import type { FaultKnobs } from './faults.ts';
import type { Answer } from './serve.ts';

const CHUNK = Buffer.alloc(65_536, 'a');
const COMPRESS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const;

// A JSON string of this many bytes, including quotes.
function* longString(bytes: number): Generator<Buffer> {
  yield Buffer.from('"');
  for (let left = bytes - 2; left > 0; left -= CHUNK.length) {
    yield left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
  }
  yield Buffer.from('"');
}

/** Streams a JSON string of this many bytes, optionally with gzip. */
export async function deliverLong(response: ServerResponse, bytes: number, packed: boolean): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', ...(packed ? { 'content-encoding': 'gzip' } : {}) });
  const source = Readable.from(longString(bytes), { objectMode: false });
  await (packed ? pipeline(source, createGzip({ level: 1 }), response) : pipeline(source, response));
}

function encoded(answer: Answer, knobs: FaultKnobs): Answer {
  const headers =
    knobs.contentType === undefined ? answer.headers : { ...answer.headers, 'content-type': knobs.contentType };
  if (knobs.encoding === undefined || knobs.body !== undefined) {
    return { ...answer, headers };
  }
  const body = COMPRESS[knobs.encoding](answer.body);
  return { ...answer, headers: { ...headers, 'content-encoding': knobs.encoding }, body };
}

async function drip(response: ServerResponse, body: Buffer, everyMs: number): Promise<void> {
  response.flushHeaders();
  for (const byte of body) {
    await wait(everyMs, undefined, { ref: false });
    if (response.destroyed) {
      return;
    }
    response.write(Buffer.of(byte));
  }
  response.end();
}

/** Sends an answer with the transport faults of the knobs. */
export async function deliver(response: ServerResponse, answer: Answer, knobs: FaultKnobs): Promise<void> {
  const { status, headers, body } = encoded(answer, knobs);
  response.writeHead(status, { ...headers, 'content-length': body.length });
  if (response.req.method === 'HEAD') {
    response.end();
  } else if (knobs.truncate !== undefined) {
    response.flushHeaders();
    response.write(body.subarray(0, Math.floor(body.length * knobs.truncate)));
    response.socket?.destroySoon();
  } else if (knobs.drip !== undefined) {
    await drip(response, body, knobs.drip);
  } else {
    response.end(body);
  }
}
