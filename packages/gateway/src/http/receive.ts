import type { IncomingMessage } from 'node:http';
import type { RefusalCode } from '@asset-gateway/protocol';
import type { Inbound } from '../call.ts';
import { REQUEST_LIMITS } from '../limits.ts';

const EMPTY = new Uint8Array(0);

function hostsOf(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[index + 1] ?? '');
  }
  return hosts;
}

/** Returns the code with which the request's head alone is refused, if any. */
export function headFault({ url = '', rawHeaders, headers, httpVersion }: IncomingMessage): RefusalCode | undefined {
  if (headers.host === undefined && httpVersion !== '1.0') return 'bad_request';
  if (url.length > REQUEST_LIMITS.targetBytes) return 'uri_too_long';
  let headerBytes = 0;
  for (const part of rawHeaders) headerBytes += part.length + 2;
  if (headerBytes > REQUEST_LIMITS.headerBytes) return 'headers_too_large';
  return Number(headers['content-length'] ?? 0) > REQUEST_LIMITS.bodyBytes ? 'body_too_large' : undefined;
}

/** Returns the complete body; undefined if it is too large. Rejects if the client disconnects. */
function readBody(incoming: IncomingMessage): Promise<Uint8Array | undefined> {
  if (incoming.headers['content-length'] === undefined && incoming.headers['transfer-encoding'] === undefined) {
    return Promise.resolve(EMPTY);
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= REQUEST_LIMITS.bodyBytes) chunks.push(chunk);
      else {
        incoming.pause();
        resolve(undefined);
      }
    });
    incoming.once('end', () => resolve(Buffer.concat(chunks, size)));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('the client went away')));
  });
}

/** Reads a whole request. If it exceeds a limit, the result has a `fault`, with which the gateway refuses it. */
export async function receive(incoming: IncomingMessage, client: string): Promise<Inbound> {
  const head = {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: incoming.headers,
    hosts: hostsOf(incoming.rawHeaders),
    port: incoming.socket.localPort ?? 0,
    client,
  };
  const fault = headFault(incoming);
  if (fault) return { ...head, body: EMPTY, fault };
  const body = await readBody(incoming);
  return body ? { ...head, body } : { ...head, body: EMPTY, fault: 'body_too_large' };
}
