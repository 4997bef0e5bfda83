import { afterAll, expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { expectRefusal } from '../http/error-table.ts';
import { freePort } from '../http/ports.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { askOne, wireRequest } from '../http/wire.ts';
import { makeFolder } from '../kit/folder.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { ask, newBuyer, newPath } from '../payments/fault-buyer.ts';

const HEALTH = pathOf(rowOf('tokens.health'));

const start = stoppedAfterTests(startTestGateway);
const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
const folders = [makeFolder(), makeFolder()] as const;
afterAll(() => solana.close());

it('DATA_DIR: keeps the generated secret', async () => {
  const port = await freePort();
  // With until-expiry nonces only its secret decides which ones a node accepts.
  const node = (dataDir: string) =>
    startTestGateway({ PORT: String(port), GATEWAY_SECRET: '', SIWX_NONCE: 'until-expiry' }, { dataDir });
  // On its own connection: a kept one may lead to a stopped node on the same port.
  const use = async (gateway: TestGateway, header: string) => {
    const answer = await askOne(
      port,
      wireRequest('GET', HEALTH, [`Host: 127.0.0.1:${port}`, `SIGN-IN-WITH-X: ${header}`]),
    );
    await gateway.stop();
    return answer;
  };
  const first = await node(folders[0]);
  const header = await signedHeader(first.url + HEALTH);
  await first.stop();
  expect((await use(await node(folders[0]), header))?.status).toBe(200);
  const elsewhere = await node(folders[1]);
  expectRefusal(await use(elsewhere, header), '402 invalid_siwx_nonce');
  expect(elsewhere.upstream.arrivals).toEqual([]);
});

it('LOG_LEVEL and LOG_FORMAT: the lines that are written, and their format', async () => {
  const gateway = await start({ LOG_LEVEL: 'warn', LOG_FORMAT: 'pretty' });
  await fetch(`${gateway.url}/healthz`);
  gateway.upstream.faults.status = 500;
  await askSigned(gateway.url + HEALTH);
  expect(gateway.logLines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}502 GET \S+ {2}upstream_error .*ms.*\n$/),
  ]);
});

// The variables that remove routes are shown in discovery/removal.
it('HELIUS_WALLET_API_BASE_URL: the upstream that is called', async () => {
  const gateway = await startSellingGateway({ HELIUS_WALLET_API_BASE_URL: 'http://127.0.0.1:9' }, { solana });
  const target = gateway.url + newPath();
  const reply = await ask(target, await (await newBuyer(solana.mainnet)).pay(target));
  await gateway.stop();
  expect([reply.status, reply.code]).toEqual([502, 'upstream_unreachable']);
  expect(reply.text).toContain('"state":"unused"');
  expect(solana.provider.arrivals).toEqual([]);
});
