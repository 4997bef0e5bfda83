import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../kit/test-gateway.ts';
import { expectRefusal, statusAndCode } from './error-table.ts';
import { pathOf, rowOf } from './targets.ts';
import { askOne, readAnswers, seen, type WireAnswer, wireRequest, writeAndRead, writePieces } from './wire.ts';

const KIB = 1024;
const SNAPSHOTS = rowOf('tokens.marketSnapshots');
const SEARCH = pathOf(rowOf('tokens.search'));

const gateway = await startTestGateway();

const host = () => `Host: 127.0.0.1:${gateway.port}`;
const ask = (target: string, ...lines: string[]): Promise<WireAnswer | undefined> =>
  askOne(gateway.port, wireRequest('GET', target, [host(), ...lines]));
const postUrl = () => gateway.url + pathOf(SNAPSHOTS);
const padded = (prefix: string, length: number): string => prefix + 'x'.repeat(length - prefix.length);

describe('H8 the request target', () => {
  it('is at most 8 KiB; above that a 414', async () => {
    expectRefusal(await ask(padded(`${SEARCH}?q=`, 8 * KIB)), '402 sign_in_required');
    for (const length of [8 * KIB + 1, 9 * KIB, 16 * KIB, 23 * KIB, 64 * KIB]) {
      expectRefusal(await ask(padded(`${SEARCH}?q=`, length)), '414 uri_too_long');
      expectRefusal(await ask(padded('/', length)), '414 uri_too_long');
    }
    expect(gateway.upstream.arrivals).toEqual([]);
  });
});

describe('H7 headers', () => {
  it('are at most 16 KiB; above that a 431', async () => {
    expectRefusal(await ask(SEARCH, padded('X: ', 15 * KIB)), '402 sign_in_required');
    for (const length of [16 * KIB, 17 * KIB, 32 * KIB, 60 * KIB]) {
      expectRefusal(await ask(SEARCH, padded('X: ', length)), '431 headers_too_large');
    }
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('count in many short lines too', async () => {
    const lines = (count: number) => Array.from({ length: count }, () => 'a: b');
    expectRefusal(await ask(SEARCH, ...lines(1_000)), '402 sign_in_required');
    for (const count of [2_800, 3_500, 8_000]) {
      expectRefusal(await ask(SEARCH, ...lines(count)), '431 headers_too_large');
    }
  });

  it('are found in the target, in any number of packets', async () => {
    const head = `GET /healthz HTTP/1.1\r\n${host()}\r\n`;
    const raw = await writePieces(gateway.port, [head, padded('X: ', 12 * KIB), 'x'.repeat(14 * KIB)]);
    expect(readAnswers(raw, ['GET']).map(statusAndCode)).toEqual(['431 headers_too_large']);
  });
});

describe('H5 a body', () => {
  const post = (lines: string[], body: string) =>
    writeAndRead(gateway.port, wireRequest('POST', pathOf(SNAPSHOTS), [host(), ...lines], body).bytes, 3_000);
  const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;

  it('of 64 KiB is accepted, with a length or in chunks', async () => {
    const whole = 'x'.repeat(64 * KIB);
    const announced = await post([`Content-Length: ${whole.length}`, 'Connection: close'], whole);
    const chunked = await post(['Transfer-Encoding: chunked', 'Connection: close'], `${chunk(64 * KIB)}0\r\n\r\n`);
    for (const raw of [announced, chunked]) expectRefusal(readAnswers(raw, ['POST'])[0], '402 sign_in_required');
  });

  it('with a larger Content-Length is a 413 before it is sent, and the connection is closed', async () => {
    for (const length of ['65537', '1073741824', '9007199254740993']) {
      const [answer] = readAnswers(await post([`Content-Length: ${length}`], ''), ['POST']);
      expectRefusal(answer, '413 body_too_large');
      expect(answer?.headers.connection).toBe('close');
    }
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('in larger chunks is a 413 before its end, and the connection is closed', async () => {
    const [answer] = readAnswers(await post(['Transfer-Encoding: chunked'], chunk(64 * KIB) + chunk(1)), ['POST']);
    expectRefusal(answer, '413 body_too_large');
    expect(answer?.headers.connection).toBe('close');
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('of a megabyte is a 413 that the sender can read', async () => {
    for (let round = 0; round < 10; round++) {
      const answer = await seen(await fetch(postUrl(), { method: 'POST', body: 'x'.repeat(KIB * KIB) }));
      expectRefusal(answer, '413 body_too_large');
    }
  });

  it('without an end is not buffered', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const raw = await post(['Transfer-Encoding: chunked'], chunk(8 * KIB * KIB));
    expectRefusal(readAnswers(raw, ['POST'])[0], '413 body_too_large');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * KIB * KIB);
  });
});
