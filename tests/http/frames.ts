import { rowOf } from './targets.ts';

/** The row that the frames are for. */
export const SNAPSHOTS = rowOf('tokens.marketSnapshots');
const BODY = JSON.stringify(SNAPSHOTS.example.body);
const SIZE = BODY.length;
const HEX = SIZE.toString(16);
const CHUNKED = `${HEX}\r\n${BODY}\r\n0\r\n\r\n`;
const IN_CHUNKS = 'Transfer-Encoding: chunked\r\n';

/** Headers and bodies of a POST that are refused unread. */
export const AMBIGUOUS: Readonly<Record<string, readonly [lines: string, body: string]>> = {
  'length and chunks': [`Content-Length: ${SIZE}\r\nTransfer-Encoding: chunked\r\n`, CHUNKED],
  'chunks and length': [`Transfer-Encoding: chunked\r\nContent-Length: ${SIZE}\r\n`, CHUNKED],
  'two equal lengths': [`Content-Length: ${SIZE}\r\nContent-Length: ${SIZE}\r\n`, BODY],
  'a list of lengths': [`Content-Length: ${SIZE}, ${SIZE}\r\n`, BODY],
  'a negative length': ['Content-Length: -1\r\n', BODY],
  'a length beyond 64 bits': ['Content-Length: 18446744073709551617\r\n', BODY],
  'an empty length': ['Content-Length:\r\n', BODY],
  'chunks by another name': ['Transfer-Encoding: xchunked\r\n', CHUNKED],
  'another coding alone': ['Transfer-Encoding: gzip\r\n', CHUNKED],
  'chunks with a vertical tab': ['Transfer-Encoding: \x0bchunked\r\n', CHUNKED],
  'a length line with a space before its colon': [`Content-Length : ${SIZE}\r\n`, BODY],
  'a folded line': [`X: a\r\n b\r\nContent-Length: ${SIZE}\r\n`, BODY],
  'a bare line feed between lines': [`X: a\nContent-Length: ${SIZE}\r\n`, BODY],
  'a zero byte in a value': [`X: a\0b\r\nContent-Length: ${SIZE}\r\n`, BODY],
  'a line without a colon': [`X\r\nContent-Length: ${SIZE}\r\n`, BODY],
  'a space in a name': [`X Y: a\r\nContent-Length: ${SIZE}\r\n`, BODY],
  'a chunk size that is no number': [IN_CHUNKS, `zz\r\n${BODY}\r\n0\r\n\r\n`],
  'a chunk size beyond 64 bits': [IN_CHUNKS, `fffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`],
  'a chunk longer than its size': [IN_CHUNKS, `2\r\n${BODY}\r\n0\r\n\r\n`],
  'a bare line feed in a chunk extension': [IN_CHUNKS, `${HEX};a\n${BODY}\r\n0\r\n\r\n`],
  'a bare line feed after a chunk size': [IN_CHUNKS, `${HEX}\n${BODY}\r\n0\r\n\r\n`],
  'a long chunk extension': [IN_CHUNKS, `${HEX};${'x'.repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`],
};

/** Headers and bodies of a POST that are read. */
export const UNAMBIGUOUS: Readonly<Record<string, readonly [lines: string, body: string]>> = {
  'a length': [`Content-Length: ${SIZE}\r\n`, BODY],
  'a length with spaces around it': [`Content-Length:  ${SIZE}  \r\n`, BODY],
  chunks: [IN_CHUNKS, CHUNKED],
  'chunks in upper case': ['Transfer-Encoding: CHUNKED\r\n', CHUNKED],
  'a short chunk extension': [IN_CHUNKS, `${HEX};a=b\r\n${BODY}\r\n0\r\n\r\n`],
  'one chunk a byte': [IN_CHUNKS, `${[...BODY].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`],
  trailers: [IN_CHUNKS, `${HEX}\r\n${BODY}\r\n0\r\nSIGN-IN-WITH-X: x\r\n\r\n`],
};
