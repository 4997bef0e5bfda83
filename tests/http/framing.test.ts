import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../kit/test-gateway.ts';
import { newSigner, signedHeader } from '../kit/wallet.ts';
import { expectRefusal, faultsOf, headerFaults, statusAndCode } from './error-table.ts';
import { AMBIGUOUS, SNAPSHOTS, UNAMBIGUOUS } from './frames.ts';
import { gated, pathOf, rowOf } from './targets.ts';
import { askFor, readAnswers, requestTo, seen, type WireRequest, writeAndRead, writePieces } from './wire.ts';

/** The smuggled request. */
const SMUGGLED = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: smuggled\r\nConnection: close\r\n\r\n';

const gateway = await startTestGateway();

const KIB = 1024;
const SEARCH = pathOf(rowOf('tokens.search'));
const ask = (target: string, ...lines: string[]) => askFor(gateway.port, 'GET', target, ...lines);
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
    for (const length of [16, 17, 32, 60])
      expectRefusal(await ask(SEARCH, padded('X: ', length * KIB)), '431 headers_too_large');
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
    const head = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n`;
    const raw = await writePieces(gateway.port, [head, padded('X: ', 12 * KIB), 'x'.repeat(14 * KIB)]);
    expect(readAnswers(raw, ['GET']).map(statusAndCode)).toEqual(['431 headers_too_large']);
  });
});

describe('H5 a body', () => {
  const post = async (body: string, ...lines: readonly string[]) => {
    const { bytes } = requestTo(gateway.port, 'POST', pathOf(SNAPSHOTS), ...lines);
    return readAnswers(await writeAndRead(gateway.port, bytes + body, 3_000), ['POST'])[0];
  };
  const inChunks = 'Transfer-Encoding: chunked';
  const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;

  it('of 64 KiB is accepted, with a length or in chunks', async () => {
    const [size, close] = [64 * KIB, 'Connection: close'];
    expectRefusal(await post('x'.repeat(size), `Content-Length: ${size}`, close), '402 sign_in_required');
    expectRefusal(await post(`${chunk(size)}0\r\n\r\n`, inChunks, close), '402 sign_in_required');
  });

  it.each([
    ...['65537', '1073741824', '9007199254740993'].map((length) => ['', `Content-Length: ${length}`] as const),
    [chunk(64 * KIB) + chunk(1), inChunks] as const,
  ])('that is larger is a 413 before its end, and the connection is closed (%#)', async (body, line) => {
    const answer = await post(body, line);
    expectRefusal(answer, '413 body_too_large');
    expect(answer?.headers.connection).toBe('close');
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('of a megabyte is a 413 that the sender can read', async () => {
    const send = () => fetch(gateway.url + pathOf(SNAPSHOTS), { method: 'POST', body: 'x'.repeat(KIB * KIB) });
    for (let round = 0; round < 10; round++) expectRefusal(await seen(await send()), '413 body_too_large');
  });

  it('without an end is not buffered', async () => {
    const before = process.memoryUsage().arrayBuffers;
    expectRefusal(await post(chunk(8 * KIB * KIB), inChunks), '413 body_too_large');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * KIB * KIB);
  });
});

const signed = () => signedHeader(gateway.url + pathOf(SNAPSHOTS), { method: 'POST' });

async function postSigned(lines: string, body: string): Promise<string> {
  const head =
    `POST ${pathOf(SNAPSHOTS)} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n` +
    `SIGN-IN-WITH-X: ${await signed()}\r\nContent-Type: application/json\r\n`;
  return writeAndRead(gateway.port, `${head}${lines}\r\n${body}${SMUGGLED}`, 2_000);
}

describe('H10 an ambiguous request frame', () => {
  it.each(Object.entries(AMBIGUOUS))('%s: one 400, closed, no smuggled request', async (_, [lines, body]) => {
    const before = gateway.logLines.length;
    const raw = await postSigned(lines, body);
    const answers = readAnswers(raw, ['POST', 'GET']);
    expect(answers.map(statusAndCode)).toEqual(['400 bad_request']);
    expect(answers.flatMap(headerFaults)).toEqual([]);
    expect(answers[0]?.headers.connection).toBe('close');
    expect(gateway.upstream.arrivals).toEqual([]);
    expect(gateway.logLines.slice(before).join('')).not.toContain('smuggled');
  });
});

describe('H10 an unambiguous request frame', () => {
  it.each(Object.entries(UNAMBIGUOUS))('%s: answered, and so is the next request', async (_, [lines, body]) => {
    const before = gateway.upstream.arrivals.length;
    const answers = readAnswers(await postSigned(lines, body), ['POST', 'GET']);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ ok: true, method: 'marketSnapshots' });
    expect(gateway.upstream.arrivals.length).toBe(before + 1);
  });
});

const COUNT = 1_000;

/** All on one connection, closed after the last. */
async function pipeline(requests: readonly WireRequest[]) {
  const all = [...requests, requestTo(gateway.port, 'GET', '/healthz', 'Connection: close')];
  const [methods, bytes] = [all.map(({ method }) => method), all.map(({ bytes }) => bytes).join('')];
  return readAnswers(await writeAndRead(gateway.port, bytes, 30_000), methods);
}

describe('H11 requests in one pipeline', () => {
  it('a thousand are answered in order, each with its request id and challenge', { timeout: 60_000 }, async () => {
    const before = gateway.upstream.arrivals.length;
    const rows = Array.from({ length: COUNT }, (_, index) => gated[index % gated.length] as (typeof gated)[number]);
    const requests = rows.map((route, index) =>
      requestTo(gateway.port, route.httpMethod, pathOf(route), `X-Request-Id: r-${index}`),
    );
    const answers = await pipeline(requests);
    expect(answers.length).toBe(COUNT + 1);
    const ids = answers.slice(0, COUNT).map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual(rows.map((_, index) => `r-${index}`));
    const paths = answers.slice(0, COUNT).map(({ body }) => new URL(JSON.parse(body).resource.url).pathname);
    expect(paths).toEqual(rows.map(pathOf));
    expect(answers.flatMap((answer) => faultsOf(answer))).toEqual([]);
    expect(gateway.upstream.arrivals.length).toBe(before);
  });

  it('keep their bodies, and a fast answer waits for an earlier slow one', async () => {
    const mints = Array.from({ length: 12 }, () => newSigner().address);
    const before = gateway.upstream.arrivals.length;
    const only = ({ body }: { readonly body: string }) => body.includes(mints[0] ?? '');
    Object.assign(gateway.upstream.faults, { delayMs: 300, times: 1, only });
    const headers = await Promise.all(mints.map(signed));
    const requests = mints.map((mint, index) => {
      const body = JSON.stringify({ mints: [mint] });
      const named = [`SIGN-IN-WITH-X: ${headers[index]}`, `X-Request-Id: b-${index}`];
      const lines = [...named, 'Content-Type: application/json', `Content-Length: ${body.length}`];
      const { method, bytes } = requestTo(gateway.port, 'POST', pathOf(SNAPSHOTS), ...lines);
      return { method, bytes: bytes + body };
    });
    const answers = await pipeline(requests);
    gateway.upstream.faults.reset();
    expect(answers.slice(0, -1).map(({ headers }) => headers['x-request-id'])).toEqual(mints.map((_, i) => `b-${i}`));
    expect(answers.slice(0, -1).map(({ status }) => status)).toEqual(mints.map(() => 200));
    const sent = gateway.upstream.arrivals.slice(before).map(({ body }) => JSON.parse(String(body)).mints[0]);
    expect(sent.sort()).toEqual([...mints].sort());
    for (const [index, mint] of mints.entries()) expect(answers[index]?.body).toContain(mint);
  });
});
