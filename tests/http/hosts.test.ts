import { describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { signedHeader } from '../kit/wallet.ts';
import { expectInTable, expectRefusal, statusAndCode } from './error-table.ts';
import { freePort } from './ports.ts';
import { gated, pathOf, rowOf } from './targets.ts';
import { askOne, readAnswers, type WireAnswer, wireRequest, writeAndRead } from './wire.ts';

const PUBLIC = ['/healthz', '/v1/catalog'];
const ORIGIN = 'https://gateway.example';
const HEALTH = pathOf(rowOf('tokens.health'));

const local = await startTestGateway();
const port = await freePort();
const configured = {
  ...(await startTestGateway({ GATEWAY_BASE_URL: ORIGIN, PORT: String(port) })),
  port,
};

type Place = Pick<TestGateway, 'port'>;

const ask = ({ port }: Place, target: string, ...lines: string[]): Promise<WireAnswer | undefined> =>
  askOne(port, wireRequest('GET', target, lines));

const originIn = (answer: WireAnswer | undefined): string =>
  new URL(JSON.parse(answer?.body ?? '{}').resource.url).origin;

/** Values of Host that name another origin. */
const foreign = (port: number): string[] => [
  ...['', 'evil.example', '127.0.0.1', 'localhost', `evil.example:${port}`, `localhost:${port + 1}`],
  ...[`localhost.:${port}`, `127.0.0.1:${port}@evil.example`, `evil.example@127.0.0.1:${port}`, `0.0.0.0:${port}`],
  ...[`::1:${port}`, `localhost:0${port}`, `localhost:${port}, evil.example`, `localhost:${port}/`],
];

const hopHeaders = [
  ...['X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https', 'Forwarded: host=evil.example;proto=https'],
  ...['X-Original-URL: http://evil.example/', 'Referer: http://evil.example/', 'Origin: https://evil.example'],
];

describe('H9 S20 Host without a configured origin', () => {
  it('is the origin of the challenge, if it is a loopback name', async () => {
    for (const name of ['localhost', 'LocalHost', '127.0.0.1', '[::1]']) {
      const answer = await ask(local, HEALTH, `Host: ${name}:${local.port}`, ...hopHeaders);
      expectRefusal(answer, '402 sign_in_required');
      expect(originIn(answer)).toBe(`http://${name.toLowerCase()}:${local.port}`);
      expect(JSON.stringify(answer)).not.toContain('evil');
    }
  });

  it('binds a sign-in to the name that was dialled', async () => {
    const header = await signedHeader(`http://127.0.0.1:${local.port}${HEALTH}`);
    const send = (name: string) =>
      fetch(`http://${name}:${local.port}${HEALTH}`, { headers: { 'SIGN-IN-WITH-X': header } });
    expect([(await send('localhost')).status, (await send('127.0.0.1')).status]).toEqual([402, 200]);
  });

  it('is refused on every gated row if it is another name', async () => {
    for (const route of gated) {
      const request = wireRequest(route.httpMethod, pathOf(route), ['Host: evil.example']);
      expectRefusal(await askOne(local.port, request), '400 bad_request');
    }
    for (const host of foreign(local.port)) {
      expectRefusal(await ask(local, HEALTH, `Host: ${host}`), '400 bad_request');
    }
    expect(local.upstream.arrivals).toHaveLength(1);
  });

  it('does not matter for /healthz and the catalog', async () => {
    for (const target of PUBLIC) {
      for (const host of foreign(local.port)) expect((await ask(local, target, `Host: ${host}`))?.status).toBe(200);
    }
  });
});

describe('H9 S20 Host with a configured origin', () => {
  it('is ignored: the challenge names the configured origin', async () => {
    for (const host of [...foreign(configured.port), `localhost:${configured.port}`]) {
      const answer = await ask(configured, HEALTH, `Host: ${host}`, ...hopHeaders);
      expectRefusal(answer, '402 sign_in_required');
      expect(originIn(answer)).toBe(ORIGIN);
      expect(answer?.headers['www-authenticate']).toContain(`realm="${ORIGIN}"`);
      expect(JSON.stringify(answer)).not.toContain('evil');
    }
    expect(configured.upstream.arrivals).toEqual([]);
  });
});

describe('H9 the number of Host lines', () => {
  const nodes = [local, configured];

  it('two are a 400 on every path, even if equal', async () => {
    for (const gateway of nodes) {
      const own = `Host: localhost:${gateway.port}`;
      for (const target of [...PUBLIC, HEALTH, '/nothing']) {
        for (const second of [own, 'Host: evil.example', 'host:', 'HOST: localhost']) {
          expectRefusal(await ask(gateway, target, own, second), '400 bad_request');
          expectRefusal(await ask(gateway, target, second, own), '400 bad_request');
        }
      }
    }
  });

  it('a second one after a thousand other lines counts too', async () => {
    const lines = [
      `Host: localhost:${local.port}`,
      ...Array.from({ length: 1_200 }, () => 'a: b'),
      'Host: evil.example',
    ];
    expectRefusal(await ask(local, '/healthz', ...lines), '400 bad_request');
  });

  it('none is a 400', async () => {
    for (const gateway of nodes) {
      for (const target of [...PUBLIC, HEALTH]) {
        const answer = await ask(gateway, target);
        expect(answer?.status).toBe(400);
        expectInTable(answer);
      }
    }
  });

  it('HTTP/1.0 needs none, and is closed after the answer', async () => {
    for (const head of [
      'GET /healthz HTTP/1.0\r\n\r\n',
      `GET /healthz HTTP/1.0\r\nHost: localhost:${local.port}\r\n\r\n`,
    ]) {
      const [answer] = readAnswers(await writeAndRead(local.port, head), ['GET']);
      expect(answer?.status).toBe(200);
      expect(answer?.headers.connection).toBe('close');
    }
    const [gatedAnswer] = readAnswers(await writeAndRead(local.port, `GET ${HEALTH} HTTP/1.0\r\n\r\n`), ['GET']);
    expect(statusAndCode(gatedAnswer)).toBe('400 bad_request');
    expect(local.upstream.arrivals).toHaveLength(1);
  });
});
