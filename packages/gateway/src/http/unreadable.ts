import type { Duplex } from 'node:stream';
import { Refusal, type RefusalCode, refusalBody } from '@asset-gateway/protocol';
import { LIMITS } from './receive.ts';

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
};

const LINGER_MS = 1_000;

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

function codeOf({ code, rawPacket }: ParseError): RefusalCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  const packet = rawPacket?.toString('latin1') ?? '';
  const requestLine = /^[A-Z]+ [^\r\n]*/.exec(packet)?.[0] ?? '';
  return requestLine.length > LIMITS.targetBytes ? 'uri_too_long' : 'headers_too_large';
}

/** Answers what could not be read as a request at all, and closes; the last resort before the gateway. */
export function answerUnreadable(error: ParseError, socket: Duplex, requestId: string): void {
  const refusal = new Refusal(codeOf(error));
  const body = JSON.stringify(refusalBody(refusal, requestId));
  const head = [
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.status]}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Access-Control-Allow-Origin: *',
    `X-Request-Id: ${requestId}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // A peer that never closes its side would keep the socket for ever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
