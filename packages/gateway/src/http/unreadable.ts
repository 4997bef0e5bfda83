import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Outbound } from '../call.ts';
import { lastResort } from '../last-resort.ts';
import { LIMITS } from './receive.ts';

const LINGER_MS = 1_000;

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

function codeOf({ code, rawPacket }: ParseError): RefusalCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  const packet = rawPacket?.toString('latin1') ?? '';
  const requestLine = /^[A-Z]+ [^\r\n]*/.exec(packet)?.[0] ?? '';
  return requestLine.length > LIMITS.targetBytes ? 'uri_too_long' : 'headers_too_large';
}

/** The answer to an expectation other than 100-continue, which HTTP lets stand without a body. */
export function unexpected(): Outbound {
  const { headers } = lastResort(new Refusal('bad_request'));
  return { status: 417, headers: { ...headers, 'Content-Length': '0' }, body: '' };
}

/** Answers what could not be read as a request at all, and closes. */
export function answerUnreadable(error: ParseError, socket: Duplex): void {
  const { status, headers, body } = lastResort(new Refusal(codeOf(error)));
  const lines = Object.entries({ Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  // A peer that never closes its side would keep the socket for ever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
