import { existsSync, rmSync } from 'node:fs';
import type { Environment } from '@asset-gateway/gateway';
import { afterAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../http/error-table.ts';
import { freePort } from '../http/ports.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { askOne, wireRequest } from '../http/wire.ts';
import { makeFolder } from '../kit/folder.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';

const HEALTH = pathOf(rowOf('tokens.health'));

/** Starts a gateway. It is stopped after the tests if a test did not stop it. */
async function start(variables: Environment = {}, options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(variables, options);
  let stopping: Promise<void> | undefined;
  const once = { ...gateway, stop: () => (stopping ??= gateway.stop()) };
  stops.push(once.stop);
  return once;
}

const stops: (() => Promise<void>)[] = [];
const folders = [makeFolder(), makeFolder()] as const;
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** On its own connection: a kept one may lead to a stopped node on the same port. */
const use = ({ port }: TestGateway, header: string) =>
  askOne(port, wireRequest('GET', HEALTH, [`Host: 127.0.0.1:${port}`, `SIGN-IN-WITH-X: ${header}`]));

/** A node on this port, with until-expiry nonces: only its secret decides which ones it accepts. */
const node = (port: number, dataDir: string) =>
  start({ PORT: String(port), GATEWAY_SECRET: '', SIWX_NONCE: 'until-expiry' }, { dataDir });

describe.concurrent('a variable takes effect', () => {
  it('TOKENS_API_BASE_URL and TOKENS_API_KEY: the upstream and the key it receives', async () => {
    const first = await start();
    const second = await start({ TOKENS_API_BASE_URL: `${first.upstream.url}/prefix/`, TOKENS_API_KEY: 'another-key' });
    await askSigned(second.url + HEALTH);
    expect(second.upstream.arrivals).toEqual([]);
    expect(first.upstream.arrivals.map(({ target }) => target)).toEqual(['/prefix/v1/health']);
    expect(first.upstream.arrivals[0]?.headers['x-api-key']).toBe('another-key');
  });

  it('DATA_DIR: keeps the generated secret', async () => {
    const port = await freePort();
    const [kept, other] = folders;
    const first = await node(port, kept);
    expect(existsSync(`${kept}/gateway.db`)).toBe(true);
    const header = await signedHeader(first.url + HEALTH);
    await first.stop();
    const again = await node(port, kept);
    expect((await use(again, header))?.status).toBe(200);
    await again.stop();
    const elsewhere = await node(port, other);
    expectRefusal(await use(elsewhere, header), '402 invalid_siwx_nonce');
    expect(elsewhere.upstream.arrivals).toEqual([]);
  });

  it('LOG_LEVEL: the lines that are written', async () => {
    const linesAt = async (level: string) => {
      const gateway = await start({ LOG_LEVEL: level });
      await fetch(`${gateway.url}/healthz`);
      gateway.upstream.faults.status = 500;
      await askSigned(gateway.url + HEALTH);
      return gateway.logLines.map((line) => JSON.parse(line).status);
    };
    expect(await linesAt('info')).toEqual([200, 402, 502]);
    expect(await linesAt('warn')).toEqual([502]);
    expect(await linesAt('error')).toEqual([]);
    expect(await linesAt('silent')).toEqual([]);
  });

  it('LOG_FORMAT: JSON, or text for a person', async () => {
    const linesIn = async (format: string) => {
      const gateway = await start({ LOG_FORMAT: format });
      await fetch(`${gateway.url}/healthz`);
      return gateway.logLines;
    };
    for (const format of ['', 'json']) expect(JSON.parse((await linesIn(format))[0] ?? '').path).toBe('/healthz');
    expect(await linesIn('pretty')).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}200 GET \/healthz {2}\S+ ms\n$/),
    ]);
  });
});
