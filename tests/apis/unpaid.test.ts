import { createClient } from '@asset-gateway/client';
import { HEADERS, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { Admission, Answer, Call, Challenge, Gate, Inbound } from '../../packages/gateway/src/call.ts';
import { limitingUnpaid, UnpaidCalls } from '../../packages/gateway/src/gates/unpaid.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { openCustomer } from '../client/kit.ts';
import type { Example } from '../http/targets.ts';
import { encodeHeader } from '../kit/wallet.ts';
import { bodyOf, paymentFor, sendPaid } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { serveApis } from './apis.ts';
import { documentPath } from './document-files.ts';

const paid = { access: 'exact', price: '0.002' };
const { gateway, stub } = await serveApis(
  {
    weather: {
      title: 'Weather',
      openapi: documentPath('weather.yaml'),
      requestsPerMinute: 10_000,
      operations: { getForecast: paid, getHistory: paid },
    },
  },
  { CREDIT: 'on' },
);
const chain = gateway.solana.mainnet;
const WALLET = '11111111111111111111111111111112';
const forecast = { target: '/v1/x402/solana/mainnet/weather/forecast/Rome', init: { method: 'GET', headers: {} } };
const history = {
  target: '/v1/x402/solana/mainnet/weather/history',
  init: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"city":"Rome","from":17}' },
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
      .catch(({ code }: Refusal) => code);
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
    expect([await ask(), state.calls]).toEqual(['rate_limited', before]);
  });

  it('ends ten minutes after the first of the three', async () => {
    const { clock, state, ask } = limited();
    state.outcome = 'upstream_timeout';
    for (const atMs of [0, 100_000, 200_000]) {
      clock.nowMs = atMs;
      await ask();
    }
    clock.nowMs = 599_999;
    expect(await ask()).toBe('rate_limited');
    clock.nowMs = 600_000;
    state.outcome = undefined;
    expect(await ask()).toBe('answered');
    state.outcome = 'upstream_timeout';
    expect([await ask(), await ask()]).toEqual(['upstream_timeout', 'rate_limited']);
  });
});

describe('a call that may have an effect', () => {
  const CHALLENGE = { headers: {}, members: {} } as unknown as Challenge;
  const other = signInOf('another nonce');

  /** What a sign-in's header says; the gate reads its nonce and its wallet. */
  function signInOf(nonce: string) {
    const payload = {
      ...{ domain: 'gw.example', address: WALLET, uri: 'https://gw.example/', version: '1', chainId: 'solana:a' },
      ...{ type: 'ed25519', nonce, issuedAt: '2026-11-20T00:00:00.000Z', signature: 'a' },
    };
    return { [HEADERS.signIn.toLowerCase()]: encodeHeader(payload) };
  }

  /** A gate, and what happens in it. `isReached`: whether a call takes a slot. */
  function once(isOnce = true) {
    const clock = { nowMs: 0 };
    const steps: string[] = [];
    const state = { isOwed: undefined as boolean | undefined, isReached: true, admission: {} as Admission };
    const inner: Gate = {
      serve: async (_call, _trail, prepare) => ({
        ...{ answer: await prepare(state.isOwed)(state.admission), receipt: { headers: {} } },
      }),
      challenge: (_call, code) => (code === 'payment_required' ? CHALLENGE : undefined),
    };
    const gate = limitingUnpaid(inner, new UnpaidCalls(() => clock.nowMs));
    const prepare = (isOwed?: boolean) => async (admission: Admission) => {
      steps.push(isOwed ? 'again' : 'called');
      if (state.isReached) await admission.onSlot?.();
      return { json: '{}' };
    };
    const ask = (headers: Inbound['headers']) => {
      const call = { route: { id: 'a', upstream: { isOnce } }, inbound: { headers } } as unknown as Call;
      const asked = gate.serve(call, { requestId: '', client: '', wallet: WALLET }, prepare);
      return asked.then(
        () => 'answered',
        (error: Refusal) => [error.code, error.details.payment?.state],
      );
    };
    return { clock, steps, state, ask, gate };
  }

  const USED = ['payment_already_used', 'refused'];

  it('is made once for a sign-in, for as long as a node takes its nonce', async () => {
    const { clock, steps, ask } = once();
    const headers = signInOf('nonce');
    expect([await ask(headers), await ask(headers), await ask(other)]).toEqual(['answered', USED, 'answered']);
    clock.nowMs = TIMES.rememberedMs - 1;
    expect([await ask(headers), steps.length]).toEqual([USED, 2]);
    clock.nowMs = TIMES.rememberedMs;
    expect(await ask(headers)).toBe('answered');
  });

  it('is made once for the signed bytes of a payment, however they are sent', async () => {
    const { steps, ask } = once();
    const genuine = (await paymentFor(gateway, forecast, await openWallet(gateway.solana))) as object;
    const payment = (payload: object) => ({ [HEADERS.payment.toLowerCase()]: encodeHeader(payload) });
    expect(await ask(payment(genuine))).toBe('answered');
    expect(await ask({ ...payment({ ...genuine, extensions: {} }), ...other })).toEqual(USED);
    expect([await ask(other), steps.length]).toEqual(['answered', 2]);
  });

  it('has the sign-in as its credential where the payment cannot be read', async () => {
    const { ask } = once();
    const malformed = (text: string) => ({ [HEADERS.payment.toLowerCase()]: text });
    expect(await ask({ ...malformed('1'), ...other })).toBe('answered');
    expect(await ask({ ...malformed('2'), ...other })).toEqual(USED);
    expect(await ask({ ...malformed('2'), ...signInOf('nonce') })).toBe('answered');
    expect([await ask(malformed('3')), await ask({})]).toEqual(['answered', USED]);
  });

  it('may be made again if it took no slot', async () => {
    const { state, ask } = once();
    state.isReached = false;
    for (let times = 0; times < 2; times++) expect(await ask(other)).toBe('answered');
  });

  it('takes its slot as any other call does', async () => {
    const { state, steps, ask } = once();
    state.admission = { onSlot: async () => void steps.push('slot') };
    expect([await ask(other), steps]).toEqual(['answered', ['called', 'slot']]);
  });

  it('is not repeated for an owed answer, unlike other calls', async () => {
    const { state, steps, ask } = once();
    state.isOwed = true;
    expect([await ask(other), steps]).toEqual([['payment_already_used', 'settled'], []]);
    const repeatable = once(false);
    repeatable.state.isOwed = true;
    for (let times = 0; times < 5; times++) expect(await repeatable.ask(other)).toBe('answered');
    expect(repeatable.steps).toEqual(Array.from({ length: 5 }, () => 'again'));
    repeatable.state.isOwed = undefined;
    for (let times = 0; times < 2; times++) expect(await repeatable.ask(other)).toBe('answered');
  });

  it('is asked to pay as its gate says', () => {
    const { gate } = once();
    expect(gate.challenge({} as Call, 'payment_required')).toBe(CHALLENGE);
    expect(gate.challenge({} as Call, 'credit_exhausted')).toBeUndefined();
  });
});
