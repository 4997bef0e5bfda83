import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { routes } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw, statusOf } from '../kit/raw.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';

const EIGHT_UNKNOWN = 'a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9';
const BUILT_IN = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

describe('a client that sends', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  const refusedWithoutCall = async (path: string, init: RequestInit = {}): Promise<void> => {
    const before = gateway.upstream.arrivals.length;
    const answer = await askSigned(`${gateway.url}${path}`, init);
    expect([answer.status, gateway.upstream.arrivals.length - before]).toEqual([400, 0]);
  };

  it('more broken rules than a validator reports gets a 400, without an upstream call', async () => {
    await refusedWithoutCall(`/v1/x402/tokens/assets/solana/markets?limit=99999&${EIGHT_UNKNOWN}`);
    await refusedWithoutCall(`/v1/x402/tokens/assets/search?q=&limit=0&${EIGHT_UNKNOWN}`);
    const mints = ['a', '', 'a,b', 7, null, ...Array(200).fill(''), {}];
    const body = JSON.stringify({ mints, ...Object.fromEntries(new URLSearchParams(EIGHT_UNKNOWN)) });
    const headers = { 'Content-Type': 'application/json' };
    await refusedWithoutCall('/v1/x402/tokens/assets/market-snapshots', { method: 'POST', headers, body });
  });

  it('an encoded separator in a parameter name gets a 400, without an upstream call', () =>
    refusedWithoutCall(`/v1/x402/tokens/assets/solana/markets?x%26limit%3D9999&${EIGHT_UNKNOWN}`));

  it('S16 names of built-ins as parameters gets a 400, on open routes and behind a sign-in', async () => {
    for (const name of BUILT_IN) {
      expect((await fetch(`${gateway.url}/healthz?${name}=1`)).status).toBe(400);
      expect((await fetch(`${gateway.url}/v1/catalog?${name}`)).status).toBe(400);
      await refusedWithoutCall(`/v1/x402/tokens/assets/solana?${name}=1`);
    }
    expect(routes.length).toBeGreaterThan(20);
  });

  it('nothing at all, and keeps its side open, is disconnected, and others are served', {
    timeout: 30_000,
  }, async () => {
    const sockets = Array.from({ length: 20 }, () =>
      connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true }),
    );
    const closed = sockets.map(async (socket: Socket) => {
      socket.on('error', () => undefined).resume();
      await once(socket, 'end');
      const writing = setInterval(() => socket.write('x'), 200);
      await new Promise((resolve) => socket.once('close', resolve));
      clearInterval(writing);
    });
    await Promise.all(closed);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  });

  it('H7 more than sixteen KiB of tiny headers gets a 431', async () => {
    const raw = await sendRaw(gateway.port, `GET /healthz HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(4400)}\r\n`);
    expect(statusOf(raw)).toBe(431);
  });
});

describe('a client that goes away', () => {
  it('H13 with answers still queued does not hold up the end', async () => {
    const gateway = await startTestGateway();
    gateway.upstream.faults.delayMs = 500;
    const path = '/v1/x402/tokens/assets/solana';
    const header = await signedHeader(`${gateway.url}${path}`);
    const socket = connect(gateway.port, '127.0.0.1');
    const request = (target: string, extra = '') =>
      `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n${extra}\r\n`;
    socket.write(request(path, `SIGN-IN-WITH-X: ${header}\r\n`) + request('/healthz').repeat(3));
    await expect.poll(() => gateway.upstream.arrivals.length).toBe(1);
    socket.resetAndDestroy();
    await gateway.stop();
    expect(gateway.upstream.arrivals).toHaveLength(1);
  });
});
