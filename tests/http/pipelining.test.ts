import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { newSigner, signedHeader } from '../kit/wallet.ts';
import { codeOf, faultsOf } from './error-table.ts';
import { gated, pathOf, rowOf } from './targets.ts';
import { readAnswers, type WireRequest, wireRequest, writeAndRead } from './wire.ts';

const COUNT = 1_000;
const SNAPSHOTS = rowOf('tokens.marketSnapshots');

const gateway = await stopAfterTests(startTestGateway());

/** All on one connection, closed after the last. */
async function pipeline(requests: readonly WireRequest[]) {
  const last = wireRequest('GET', '/healthz', [`Host: 127.0.0.1:${gateway.port}`, 'Connection: close']);
  const all = [...requests, last];
  const raw = await writeAndRead(gateway.port, all.map(({ bytes }) => bytes).join(''), 10_000);
  return readAnswers(
    raw,
    all.map(({ method }) => method),
  );
}

const host = () => `Host: 127.0.0.1:${gateway.port}`;

describe('H11 requests in one pipeline', () => {
  it('a thousand are answered in order, each with its request id and challenge', async () => {
    const rows = Array.from({ length: COUNT }, (_, index) => gated[index % gated.length] as (typeof gated)[number]);
    const requests = rows.map((route, index) =>
      wireRequest(route.httpMethod, pathOf(route), [host(), `X-Request-Id: r-${index}`]),
    );
    const answers = await pipeline(requests);
    expect(answers.length).toBe(COUNT + 1);
    expect(answers.slice(0, COUNT).map(({ headers }) => headers['x-request-id'])).toEqual(
      rows.map((_, index) => `r-${index}`),
    );
    const paths = answers.slice(0, COUNT).map(({ body }) => new URL(JSON.parse(body).resource.url).pathname);
    expect(paths).toEqual(rows.map(pathOf));
    expect(answers.flatMap((answer) => faultsOf(answer))).toEqual([]);
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('keep their bodies, and a fast answer waits for an earlier slow one', async () => {
    const mints = Array.from({ length: 12 }, () => newSigner().address);
    gateway.upstream.faults.delayMs = 300;
    gateway.upstream.faults.times = 1;
    gateway.upstream.faults.only = ({ body }) => body.includes(mints[0] ?? '');
    const headers = await Promise.all(
      mints.map(() => signedHeader(gateway.url + pathOf(SNAPSHOTS), { method: 'POST' })),
    );
    const requests = mints.map((mint, index) => {
      const body = JSON.stringify({ mints: [mint] });
      const lines = [`SIGN-IN-WITH-X: ${headers[index]}`, 'Content-Type: application/json', `X-Request-Id: b-${index}`];
      return wireRequest('POST', pathOf(SNAPSHOTS), [host(), ...lines, `Content-Length: ${body.length}`], body);
    });
    const answers = await pipeline(requests);
    gateway.upstream.faults.reset();
    expect(answers.slice(0, -1).map(({ headers }) => headers['x-request-id'])).toEqual(mints.map((_, i) => `b-${i}`));
    expect(answers.slice(0, -1).map(({ status }) => status)).toEqual(mints.map(() => 200));
    const sent = gateway.upstream.arrivals.map(({ body }) => JSON.parse(String(body)).mints[0]);
    expect(sent.sort()).toEqual([...mints].sort());
    mints.forEach((mint, index) => {
      expect(answers[index]?.body).toContain(mint);
    });
  });

  it('are answered before unreadable bytes', async () => {
    const requests = [1, 2, 3].map((n) => wireRequest('GET', '/healthz', [host(), `X-Request-Id: g-${n}`]));
    const raw = await writeAndRead(gateway.port, `${requests.map(({ bytes }) => bytes).join('')}\0\r\n\r\n`);
    const answers = readAnswers(raw, ['GET', 'GET', 'GET', 'GET']);
    expect(answers.slice(0, 3).map(({ headers }) => headers['x-request-id'])).toEqual(['g-1', 'g-2', 'g-3']);
    expect(answers.slice(3).map(codeOf).join()).toMatch(/^(bad_request)?$/);
  });
});
