import { HEADERS, type Route } from '@asset-gateway/protocol';
import { isPaymentRequired, PaymentRequiredV2Schema } from '@x402/core/schemas';
import { afterAll, describe, expect, it } from 'vitest';
import type { Example } from '../http/targets.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { callOf, leavesNoTrace, ROOMY, sampledRoutes, send } from './calls.ts';

const gateway = await startSellingGateway(ROOMY);
afterAll(() => gateway.stop());

const MAX_HEADER = 4096;
const rows = sampledRoutes.map((row) => [row.id, row] as const);
const JSON_TYPE = { 'Content-Type': 'application/json' };
const BROWSER = { Accept: 'text/html,application/xhtml+xml', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' };

type Probe = readonly [name: string, call: Example, headers?: Readonly<Record<string, string>>];

const other = (call: Example, init: object): Example => ({ ...call, init: { ...call.init, ...init } });

/** Requests without a payment. Each gets a 402, also with other faults. */
function probesOf(row: Route): Probe[] {
  const call = callOf(row);
  const both: Probe[] = [
    ['the example', call],
    ['a browser', call, BROWSER],
    ['an unknown parameter', { ...call, target: `${call.target}?nobody=knows&nobody=asks` }],
  ];
  if (row.httpMethod === 'GET') {
    const broken = callOf(row, { path: { wallet: 'O0lI' } });
    return [...both, ['HEAD', other(call, { method: 'HEAD' })], ['an address that is none', broken]];
  }
  const body = (text: string | undefined, headers = JSON_TYPE): Example =>
    other(call, { ...(text === undefined ? { body: undefined } : { body: text }), headers });
  return [
    ...both,
    ['no body', { target: call.target, init: { method: 'POST', headers: {} } }],
    ['an empty body', body('')],
    ['an empty object', body('{}')],
    ['a body that is not JSON', body('{"params":')],
    ['a body that breaks the schema', body('{"params":"x","wallets":[]}')],
    ['another content type', body('{}', { 'Content-Type': 'text/plain' })],
  ];
}

async function asksToPay(row: Route, [name, call, headers]: Probe): Promise<void> {
  const response = await send(gateway, call, headers);
  const header = response.headers.get(HEADERS.paymentRequired) ?? '';
  const required = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;
  expect(response.status, name).toBe(402);
  expect(header.length, name).toBeLessThanOrEqual(MAX_HEADER);
  expect(response.headers.get('cache-control'), name).toBe('no-store');
  expect(response.headers.get('content-type'), name).toBe('application/json');
  expect(PaymentRequiredV2Schema.safeParse(required).error, name).toBeUndefined();
  expect(isPaymentRequired(required), name).toBe(true);
  const url = `${gateway.url}${call.target}`;
  expect(required, name).toMatchObject({ x402Version: 2, error: 'payment_required', resource: { url } });
  if (call.init.method === 'HEAD') return expect(await response.text()).toBe('');
  const { x402Version, error, resource, accepts, extensions, ...own } = (await response.json()) as typeof required;
  expect({ x402Version, error, resource, accepts, extensions }, name).toEqual(required);
  const { ok, payment, message, requestId } = own;
  expect([ok, payment, typeof message, typeof requestId], row.id).toEqual([
    false,
    { state: 'unused' },
    'string',
    'string',
  ]);
}

describe('P17 a probe without a payment is a 402 payment_required', () => {
  it.each(rows)('%s', async (_, row) => {
    await leavesNoTrace(gateway, async () => {
      for (const probe of probesOf(row)) await asksToPay(row, probe);
    });
  });

  it('of a URL of 8 KiB', async () => {
    const { target, init } = callOf('wallet.mainnet.helius.balances');
    const long: Example = { target: `${target}?${'x'.repeat(8100 - target.length)}`, init };
    const response = await leavesNoTrace(gateway, () => send(gateway, long));
    const header = response.headers.get(HEADERS.paymentRequired) ?? '';
    expect([response.status, header.length <= MAX_HEADER]).toEqual([402, true]);
    expect(Buffer.from(header, 'base64').toString()).not.toContain('xxxx');
    expect(isPaymentRequired(JSON.parse(Buffer.from(header, 'base64').toString()))).toBe(true);
  });

  it('no two challenges have the same memo', async () => {
    const call = callOf('rpc.mainnet.helius.getBalance');
    const memos = new Set<unknown>();
    for (let count = 0; count < 50; count++) {
      const { accepts } = (await (await send(gateway, call)).json()) as { accepts: { extra: { memo: string } }[] };
      memos.add(accepts[0]?.extra.memo);
    }
    expect(memos.size).toBe(50);
    for (const memo of memos) expect(memo).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });
});

it('P17 challenges use no budget', async () => {
  const call = callOf('das.mainnet.helius.getAsset');
  const strict = await startSellingGateway({ DAS_RATE_LIMIT_PER_SECOND: '1' }, { solana: gateway.solana });
  await leavesNoTrace(gateway, async () => {
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await send(strict, call)).status));
    expect(new Set(statuses)).toEqual(new Set([402]));
  });
  await strict.stop();
});
