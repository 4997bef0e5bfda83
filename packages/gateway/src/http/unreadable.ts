import type { Duplex } from 'node:stream';
import { Refusal, type RefusalCode, refusalBody } from '@asset-gateway/protocol';
import { LIMITS } from './receive.ts';

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
};

type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer };

function codeOf({ code, rawPacket }: ParseError): RefusalCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  const firstLine = rawPacket?.indexOf('\r\n') ?? -1;
  return firstLine < 0 || firstLine > LIMITS.targetBytes ? 'uri_too_long' : 'headers_too_large';
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
}
