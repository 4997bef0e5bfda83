import { examine } from '@asset-gateway/doctor';
import { creditRoutes } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { serveApis, WEATHER } from '../apis/apis.ts';
import { newList } from '../blocked/kit.ts';
import { gated } from '../http/targets.ts';
import { startChains, startSellingGateway, startTestGateway } from '../kit/test-gateway.ts';
import { paidRoutes } from '../payments/calls.ts';

const solana = await startChains();

it.each([
  ['single-use', '127.0.0.1'],
  ['until-expiry', 'localhost'],
])('the doctor finds nothing to fix at a free gateway with %s signatures, named %s', async (SIWX_NONCE, host) => {
  const SERVICE_NAME = 'a name that is too long for any index of routes';
  const gateway = await startTestGateway({ SERVICE_NAME, SIWX_NONCE });
  const diagnosis = await examine(gateway.url.replace('127.0.0.1', host));
  expect(diagnosis).toMatchObject({ routes: gated.length, findings: [], notes: [] });
  expect(gateway.upstream.arrivals).toEqual([]);
});

const { BLOCKED_FILE = '' } = newList('203.0.113.0/24').variables;
it.each<[string, Record<string, string>, number]>([
  ['its own prices', { SETTLEMENT_FEE_USD_MICROS: '1234' }, 0],
  ['credit, receipts and a blocklist', { CREDIT: 'on', RECEIPTS: 'on', BLOCKED_FILE }, creditRoutes.length],
])('the doctor finds nothing to fix at a gateway with paid routes only, %s', async (_, variables, more) => {
  const gateway = await startSellingGateway(variables, { solana });
  expect(await examine(gateway.url)).toMatchObject({ routes: paidRoutes.length + more, findings: [] });
  expect(solana.provider.arrivals).toEqual([]);
});

it('the doctor finds nothing to fix at a gateway with APIs of the operator', async () => {
  const key = { bearer: true, env: 'TEST_API_KEY' };
  const notes = { 'list-notes': { access: 'exact', price: '0.000007' }, 'update-note': {} };
  const apis = { weather: { key, operations: WEATHER }, notes: { key, cluster: 'devnet', operations: notes } };
  const { gateway, stub } = await serveApis(apis);
  expect(await examine(gateway.url)).toMatchObject({ routes: 64, findings: [] });
  expect(stub.arrivals).toEqual([]);
});
