import { describe, expect, it } from 'vitest';
import { gated, pathOf, rowOf } from '../http/targets.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { newSigner, signedHeader } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';
import { BLOCKED_ADDRESS, expectBlocked, from, newList, nextNotice, OTHER_ADDRESS } from './kit.ts';

const [blocked, other] = [newSigner(), newSigner()];
const list = newList('# two of them', blocked.address, '203.0.113.0/24', '2001:db8::/32');
const HEALTH = pathOf(rowOf('tokens.health'));

const limits = { TOKENS_RATE_LIMIT_PER_MINUTE: '7', METRICS_PORT: '0' };
const gateway = await startTestGateway({ ...list.variables, ...limits });

const send = (headers: Record<string, string>, path = HEALTH, init: RequestInit = {}) =>
  fetch(gateway.url + path, { ...init, headers });

const signed = async (signer = other) => ({ 'SIGN-IN-WITH-X': await signedHeader(gateway.url + HEALTH, {}, signer) });

describe('a blocked wallet', () => {
  it('gets a 403 for a good signature, and uses up nothing', async () => {
    const proof = await signed(blocked);
    for (let attempt = 0; attempt < 10; attempt++) await expectBlocked(await send(proof));
    expect(gateway.upstream.arrivals).toHaveLength(0);
    const served = await send(await signed());
    expect([served.status, served.headers.get('ratelimit')]).toEqual([200, expect.stringContaining('r=6;')]);
    list.write('# nobody');
    expect(await nextNotice(gateway.logLines, 2)).toBe('BLOCKED_FILE: blocked wallets: 0; address ranges: 0');
    expect((await send(proof)).status).toBe(200);
    list.write(blocked.address, '203.0.113.0/24', '2001:db8::/32');
    await nextNotice(gateway.logLines, 3);
  });

  it('is not revealed to other wallets', async () => {
    const header = await signedHeader(gateway.url + HEALTH, {}, { ...other, address: blocked.address });
    const response = await send({ 'SIGN-IN-WITH-X': header });
    const error = 'invalid_siwx_signature';
    expect([response.status, await response.json()]).toMatchObject([402, { error }]);
  });

  it('gets a challenge', async () => {
    expect((await send({})).status).toBe(402);
  });
});

describe('a blocked address', () => {
  it.each([BLOCKED_ADDRESS, `::ffff:${BLOCKED_ADDRESS}`, '2001:db8::1', `${OTHER_ADDRESS}, ${BLOCKED_ADDRESS}`])(
    'gets a 403 before any check: %s',
    async (address) => {
      const before = gateway.upstream.arrivals.length;
      await expectBlocked(await send(from(address)));
      await expectBlocked(await send({ ...from(address), 'SIGN-IN-WITH-X': 'x' }));
      const proof = await signed();
      await expectBlocked(await send({ ...from(address), ...proof }));
      expect(gateway.upstream.arrivals).toHaveLength(before);
      expect((await send({ ...from(OTHER_ADDRESS), ...proof })).status).toBe(200);
    },
  );

  it.each(['/healthz', '/readyz', '/v1/catalog', '/openapi.json', '/.well-known/x402', '/llms.txt'])(
    'can read %s',
    async (path) => expect((await send(from(BLOCKED_ADDRESS), path)).status).toBe(200),
  );

  it('gets preflights and refusals before the gate', async () => {
    const statuses = [
      await send(from(BLOCKED_ADDRESS), HEALTH, { method: 'OPTIONS' }),
      await send(from(BLOCKED_ADDRESS), HEALTH, { method: 'POST' }),
      await send(from(BLOCKED_ADDRESS), '/nothing'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([204, 405, 404]);
  });
});

it('blocks are in the log and in the metrics', async () => {
  await expectBlocked(await send(await signed(blocked)));
  await expectBlocked(await send(from(BLOCKED_ADDRESS)));
  const [wallet, address] = gateway.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ error }) => error === 'blocked')
    .slice(-2);
  expect(wallet).toMatchObject({ reason: 'wallet', wallet: blocked.address, status: 403 });
  expect(address).toMatchObject({ reason: 'address', client: BLOCKED_ADDRESS, status: 403 });
  expect(address).not.toHaveProperty('wallet');
  const scraped = await scrape(gateway.gateway);
  const labels = { route: 'tokens.health', status: '403', code: 'blocked' };
  expect(scraped.sum('asset_gateway_requests_total', labels)).toBeGreaterThanOrEqual(2);
  expect(['wallet', 'range'].map((kind) => scraped.sum('asset_gateway_blocked_entries', { kind }))).toEqual([1, 2]);
});

it('the OpenAPI document has the 403 of its free routes', async () => {
  const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  };
  const blockable = Object.values(paths).filter(({ get, post }) => (get ?? post)?.responses['403'] !== undefined);
  expect(blockable).toHaveLength(gated.length);
});
