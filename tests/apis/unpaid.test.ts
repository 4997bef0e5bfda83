import { createClient } from '@asset-gateway/client';
import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Answer, Call, Gate } from '../../packages/gateway/src/call.ts';
import { limitingUnpaid, UnpaidCalls } from '../../packages/gateway/src/gates/unpaid.ts';
import { openCustomer } from '../client/kit.ts';
import { type Example, jsonInit } from '../http/targets.ts';
import { standIn } from '../kit/stand-in.ts';
import { bodyOf, paymentFor, sendPaid } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { serveApis } from './apis.ts';

const paid = { access: 'exact', price: '0.002' };
const weather = { operations: { getForecast: paid, getHistory: paid } };
const { gateway, stub } = await serveApis({ weather }, { CREDIT: 'on' });
const chain = gateway.solana.mainnet;
const forecast = { target: '/v1/x402/solana/mainnet/weather/forecast/Rome', init: { method: 'GET', headers: {} } };
const history = {
  target: '/v1/x402/solana/mainnet/weather/history',
  init: jsonInit({ city: 'Rome', from: 17 }),
};

afterEach(() => {
  stub.text = undefined;
});

/** Pays for a call: what it adds (payments, calls of the API), and its answer. */
async function buy(call: Example, wallet: Wallet) {
  const payment = await paymentFor(gateway, call, wallet);
  const before = [chain.transfers.length, stub.arrivals.length] as const;
  const response = await sendPaid(gateway, call, payment);
  const { error, payment: state } = await bodyOf(response);
  const added = [chain.transfers.length - before[0], stub.arrivals.length - before[1]];
  return { status: response.status, error, state: state?.state, added, wait: response.headers.get('retry-after') };
}

describe('of an API whose answer cannot be sold', () => {
  it.each([
    ['not JSON', 'data: {"choices":[]}\n\n'],
    ['too large', JSON.stringify('a'.repeat(6 * 1024 * 1024))],
  ])('X19 a wallet makes it work three times without paying, and no more: %s', async (_, text) => {
    const wallet = await openWallet(gateway.solana);
    stub.text = text;
    for (let times = 0; times < 3; times++) {
      expect(await buy(forecast, wallet)).toMatchObject({ status: 502, state: 'unused', added: [0, 1] });
    }
    const refused = await buy(forecast, wallet);
    expect(refused).toMatchObject({ status: 429, error: 'rate_limited', state: 'unused', added: [0, 0] });
    expect(Number(refused.wait)).toBeGreaterThan(590);
    expect(Number(refused.wait)).toBeLessThanOrEqual(600);
    stub.text = undefined;
    // Other routes, and other wallets.
    expect(await buy(history, wallet)).toMatchObject({ status: 200, added: [1, 1] });
    expect(await buy(forecast, await openWallet(gateway.solana))).toMatchObject({ status: 200, added: [1, 1] });
  });

  it('X19 the same from credit', async () => {
    const customer = await openCustomer(gateway);
    await customer.client.credit.buy();
    const client = createClient({ baseUrl: gateway.url, signer: customer.signer });
    await client.call('weather.getForecast', { city: 'Rome' });
    stub.text = 'data: {}';
    const before = stub.arrivals.length;
    for (let times = 0; times < 3; times++) {
      const call = client.call('weather.getForecast', { city: 'Rome' });
      await expect(call).rejects.toMatchObject({ code: 'upstream_invalid_response' });
    }
    expect(stub.arrivals).toHaveLength(before + 3);
    const call = client.call('weather.getForecast', { city: 'Rome' });
    await expect(call).rejects.toMatchObject({ code: 'rate_limited', status: 429 });
    expect(stub.arrivals).toHaveLength(before + 3);
  });
});

/** A gate of a wallet, whose upstream ends as `outcome` says, and the clock of its limit. */
function limited() {
  const clock = { nowMs: 0 };
  const state = { outcome: undefined as RefusalCode | undefined, calls: 0 };
  const inner: Gate = {
    serve: async (_call, _trail, prepare) => ({ answer: await prepare()({}), receipt: { headers: {} } }),
    challenge: () => undefined,
  };
  const gate = limitingUnpaid(inner, new UnpaidCalls(() => clock.nowMs));
  const prepare = () => async (): Promise<Answer> => {
    state.calls++;
    if (state.outcome) throw new Refusal(state.outcome);
    return { json: '{}' };
  };
  const ask = (wallet = 'one') => {
    const trail = { requestId: '', client: '', wallet };
    return gate
      .serve({ route: { id: 'a', upstream: {} }, inbound: { headers: {} } } as Call, trail, prepare)
      .then(() => 'answered')
      .catch(({ code, retryAfterSeconds }: Refusal) => (code === 'rate_limited' ? `wait ${retryAfterSeconds}` : code));
  };
  return { clock, state, ask };
}

describe('X19 the limit', () => {
  it('counts late answers and unusable ones, and no others', async () => {
    const { state, ask } = limited();
    for (const code of ['upstream_error', 'upstream_rejected', 'upstream_unreachable', 'invalid_request'] as const) {
      state.outcome = code;
      for (let times = 0; times < 4; times++) expect(await ask()).toBe(code);
    }
    for (const code of ['upstream_timeout', 'upstream_invalid_response', 'upstream_timeout'] as const) {
      state.outcome = code;
      expect(await ask()).toBe(code);
    }
    const before = state.calls;
    expect([await ask(), state.calls]).toEqual(['wait 600', before]);
  });

  it('ends ten minutes after the first of the three', async () => {
    const { clock, state, ask } = limited();
    state.outcome = 'upstream_timeout';
    for (const atMs of [0, 100_000, 200_000]) {
      clock.nowMs = atMs;
      await ask();
    }
    clock.nowMs = 598_999;
    expect(await ask()).toBe('wait 2');
    clock.nowMs = 600_000;
    state.outcome = undefined;
    expect(await ask()).toBe('answered');
    state.outcome = 'upstream_timeout';
    expect([await ask(), await ask()]).toEqual(['upstream_timeout', 'wait 100']);
  });
});

describe('an answer that is owed', () => {
  const calls = new UnpaidCalls(() => 0);
  const deliver = async (mayHaveEffect: boolean) => {
    const asked = vi.fn(() => Promise.reject(new Refusal('upstream_timeout')));
    const prepare = vi.fn(() => asked);
    const receipt = { headers: {} };
    const serve: Gate['serve'] = async (_call, _trail, prepare) => ({ answer: await prepare(true)({}), receipt });
    const gate = limitingUnpaid({ serve, challenge: () => undefined }, calls);
    const call = standIn<Call>({ route: { id: 'a', upstream: { mayHaveEffect } } });
    const told = await gate
      .serve(call, { requestId: '', client: '' }, prepare)
      .catch(({ code, details }: Refusal) => [code, details.payment?.state]);
    return [told, prepare.mock.calls, asked.mock.calls.length];
  };

  it('does not repeat a call that may have an effect', async () => {
    expect(await deliver(true)).toEqual([['payment_already_used', 'settled'], [], 0]);
  });

  it('repeats any other call, however often', async () => {
    const failed = [['upstream_timeout', undefined], [[true]], 1];
    for (let times = 0; times < 5; times++) expect(await deliver(false)).toEqual(failed);
  });
});
