import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { challengeIn, type SignInChallenge, signIn } from '@asset-gateway/client';
import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import type { PaymentRequired } from '@x402/core/types';
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Accounts } from '../../packages/gateway/src/credit/accounts.ts';
import { InProcessFacilitator } from '../../packages/gateway/src/payments/facilitator/local.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { PaidAnswers } from '../../packages/gateway/src/receipts/paid-answers.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import type { Example } from '../http/targets.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { challengeFor, decodeHeader, encodeHeader, newSigner, signedHeader } from '../kit/wallet.ts';
import {
  asVersion1,
  bodyOf,
  callOf,
  headerOf,
  leaves,
  leavesNoTrace,
  paidRoutes,
  paymentFor,
  send,
  sendPaid,
} from '../payments/calls.ts';
import { newPath, until } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import {
  anyCall,
  balanceOf,
  buyCredit,
  buying,
  choose,
  openCreditedWallet,
  paymentOf,
  spend,
  spendingHeader,
  startCreditGateway,
  statementOf,
} from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const other = callOf('rpc.mainnet.alchemy.getBalance');
const [PRICE, BUNDLE, AT_ONCE, FAILURES] = [5, 50_000, 8, 10];
/** The calls that a small bundle covers after its own. */
const COVERED = isFull ? 100 : 3;
const SMALL = PRICE * (1 + COVERED);
const CHARGED = `charged=${PRICE}, balance=${BUNDLE - PRICE}`;
const EXPIRED = { outcome: 'refused', reason: 'expired' } as const;

const gateway = await startCreditGateway(WITHOUT_BREAKER);
const small = await startCreditGateway({}, { CREDIT_BUNDLE_USD: (SMALL / 1_000_000).toFixed(6) });

let wallet: Wallet;
afterEach(() => void vi.restoreAllMocks());
beforeEach(async () => {
  gateway.solana.provider.faults.reset();
  gateway.solana.mainnet.faults.reset();
  wallet = await openCreditedWallet(gateway);
});

describe('credit that is bought by itself', () => {
  it('equals the payment, causes no upstream call, and is shown to its wallet', async () => {
    const wallet = await openWallet(gateway.solana);
    await leaves(gateway, { transfers: 1, arrivals: 0 }, async () => {
      const response = await buyCredit(gateway, wallet, 250_000);
      const bought = { cluster: 'mainnet', balanceMicros: 250_000, boughtMicros: 250_000 };
      expect(await bodyOf(response)).toMatchObject({ ok: true, result: { wallet: wallet.address, ...bought } });
      expect(response.status).toBe(200);
      expect(response.headers.get(HEADERS.credit)).toBe('balance=250000');
    });
    const { wallet: told, balances, movements } = await statementOf(gateway, wallet);
    expect(told).toBe(wallet.address);
    expect(balances.map(({ cluster, balanceMicros, heldMicros }) => [cluster, balanceMicros, heldMicros])).toEqual([
      ['mainnet', 250_000, 0],
      ['devnet', 0, 0],
    ]);
    expect(movements).toEqual([expect.objectContaining({ kind: 'grant', micros: 250_000, cluster: 'mainnet' })]);
  });
});

describe('a bundle that is paid on a paid route', () => {
  it('is offered after the single call; the remainder becomes credit', async () => {
    const wallet = await openWallet(gateway.solana);
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, async () =>
      sendPaid(gateway, call, await paymentOf(gateway, call, wallet, BUNDLE)),
    );
    expect([response.status, (await bodyOf(response)).priceUsd]).toEqual([200, '0.000005']);
    const rest = BUNDLE - PRICE;
    expect(await balanceOf(gateway, wallet)).toMatchObject({ balanceMicros: rest, grantedMicros: rest });
  });
});

describe('a signature that spends', () => {
  it('buys an answer for the price, and returns the balance', async () => {
    const response = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => spend(gateway, call, wallet.signIn));
    expect([response.status, response.headers.get(HEADERS.credit)]).toEqual([200, CHARGED]);
    expect(response.headers.get(HEADERS.paymentResponse)).toBeNull();
    expect(response.headers.get(HEADERS.replayNonce)).toMatch(/^[0-9a-f]{32}$/);
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: PRICE, heldMicros: 0 });
  });

  it('of a wallet without credit is asked to pay, and its nonce works once the wallet has credit', async () => {
    const wallet = await openWallet(gateway.solana);
    const header = await spendingHeader(gateway, call, wallet.signIn);
    await leavesNoTrace(gateway, async () => {
      const response = await send(gateway, call, { [HEADERS.signIn]: header });
      const { error, accepts } = await bodyOf(response);
      expect([response.status, error, accepts?.length]).toEqual([402, 'credit_exhausted', 2]);
    });
    await buyCredit(gateway, wallet);
    expect((await send(gateway, call, { [HEADERS.signIn]: header })).status).toBe(200);
  });
});

it('a purchase of credit costs all that was paid, also when its answer is delivered again', async () => {
  const payment = await paymentOf(gateway, buying('mainnet'), await openWallet(gateway.solana), 50_000);
  for (const replayed of [null, 'true']) {
    const response = await sendPaid(gateway, buying('mainnet'), payment);
    expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, replayed]);
    expect((await bodyOf(response)).priceUsd).toBe('0.05');
  }
});

describe('while nothing can be settled', () => {
  it('a wallet without credit is not asked to pay, and one with credit buys its answer', async () => {
    vi.spyOn(InProcessFacilitator.prototype, 'whyClosed').mockReturnValue('no SOL');
    const poor = await openWallet(gateway.solana);
    await leavesNoTrace(gateway, async () => {
      const refused = await spend(gateway, call, poor.signIn);
      const { error, payment } = await bodyOf(refused);
      expect([refused.status, error, payment?.state]).toEqual([503, 'facilitator_unavailable', 'unused']);
    });
    expect((await spend(gateway, call, wallet.signIn)).status).toBe(200);
  });
});

it('S5 a nonce that spends is good for 300 s, and not for the 30 s more of one that a store judges', async () => {
  const header = await signed(call, { expirationTime: undefined } as object);
  const { now } = Accounts.prototype;
  vi.spyOn(Accounts.prototype, 'now').mockImplementation(function (this: Accounts) {
    return now.call(this) + 315_000;
  });
  await leavesNoTrace(gateway, async () => {
    const response = await send(gateway, call, { [HEADERS.signIn]: header });
    expect([response.status, (await bodyOf(response)).error]).toEqual([402, 'invalid_siwx_expired']);
  });
});

describe('a payment whose wallet has credit', () => {
  it('is covered: nothing settles, and it can be sent again for the same answer', async () => {
    const payment = await paymentOf(gateway, call, wallet, PRICE);
    const [text] = await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
      const response = await sendPaid(gateway, call, payment);
      const told = JSON.parse(Buffer.from(response.headers.get(HEADERS.paymentResponse) ?? '', 'base64').toString());
      const free = { success: true, transaction: '', network: NETWORKS.mainnet, payer: wallet.address, amount: '0' };
      expect([response.status, told]).toEqual([200, free]);
      expect(response.headers.get(HEADERS.credit)).toBe(CHARGED);
      return [await response.text()];
    });
    await leavesNoTrace(gateway, async () => {
      const again = await sendPaid(gateway, call, payment);
      expect([again.status, await again.text(), again.headers.get(HEADERS.replayed)]).toEqual([200, text, 'true']);
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: PRICE });
  });

  it('is answered again when its challenge is too old to buy anything', async () => {
    const payment = await paymentOf(gateway, call, wallet, PRICE);
    const { status } = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => sendPaid(gateway, call, payment));
    const now = Payments.prototype.now;
    vi.spyOn(Payments.prototype, 'now').mockImplementation(function (this: Payments) {
      return now.call(this) + TIMES.challengeMs + 60_000;
    });
    const again = await leavesNoTrace(gateway, () => sendPaid(gateway, call, payment));
    expect([status, again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 200, 'true']);
  });
});

describe('an answer that credit has paid for and that was not delivered', () => {
  /** The answer to HEAD has no body: it is charged and not delivered. */
  async function owe(): Promise<Example> {
    const get = { target: newPath(), init: { method: 'GET', headers: {} } };
    const signed = { [HEADERS.signIn]: await spendingHeader(gateway, get, wallet.signIn) };
    const head = { ...get, init: { ...get.init, method: 'HEAD' } };
    await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
      expect((await send(gateway, head, signed)).status).toBe(200);
    });
    return get;
  }

  it('is delivered to a payment for the same request: nothing is charged or settled', async () => {
    const get = await owe();
    const { spentMicros } = await balanceOf(gateway, wallet);
    const payment = await paymentFor(gateway, get, wallet);
    await leavesNoTrace(gateway, async () => {
      const response = await sendPaid(gateway, get, payment);
      expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
      expect((await bodyOf(response)).result).toBeDefined();
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros, heldMicros: 0 });
    const next = await paymentFor(gateway, get, wallet);
    const response = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => sendPaid(gateway, get, next));
    expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
  });

  it('is delivered to another signature; after too many deliveries that buys another answer', async () => {
    const get = await owe();
    const { spentMicros } = await balanceOf(gateway, wallet);
    const tooOften = vi.spyOn(PaidAnswers.prototype, 'isTooOften').mockReturnValue(true);
    const bought = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => spend(gateway, get, wallet.signIn));
    expect([bought.status, bought.headers.get(HEADERS.replayed)]).toEqual([200, null]);
    const after = await balanceOf(gateway, wallet);
    expect(after.spentMicros).toBeGreaterThan(spentMicros);
    tooOften.mockRestore();
    const again = await leavesNoTrace(gateway, () => spend(gateway, get, wallet.signIn));
    expect([again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
    expect((await balanceOf(gateway, wallet)).spentMicros).toBe(after.spentMicros);
  });

  it('is bought anew by a payment where credit has been turned off', async () => {
    const options = { solana: gateway.solana, dataDir: makeFolder() };
    const before = await startCreditGateway(options);
    const holder = await openCreditedWallet(before);
    const get = { target: newPath(), init: { method: 'GET', headers: {} } };
    const signed = { [HEADERS.signIn]: await spendingHeader(before, get, holder.signIn) };
    expect((await send(before, { ...get, init: { ...get.init, method: 'HEAD' } }, signed)).status).toBe(200);
    await before.stop();
    const after = await startCreditGateway(options, { CREDIT: 'off' });
    const response = await sendPaid(after, get, await paymentFor(after, get, holder));
    expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
    await after.stop();
  });

  it('is not delivered to a payment without its ticket, which settles', async () => {
    const get = await owe();
    const payment = asVersion1(await paymentFor(gateway, get, wallet));
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => sendPaid(gateway, get, payment));
    expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
  });
});

describe('a bundle whose settlement is unknown', () => {
  beforeEach(async () => {
    wallet = await openWallet(gateway.solana);
  });

  /** A bundle that lands while the chain hides its status. */
  async function payUnseen() {
    const { faults } = gateway.solana.mainnet;
    const payment = await paymentOf(gateway, call, wallet, BUNDLE);
    faults.dropAfterBroadcast = true;
    faults.lie = { statusMissing: true };
    const first = await sendPaid(gateway, call, payment);
    expect([first.status, (await bodyOf(first)).error]).toEqual([503, 'settlement_pending']);
    return payment;
  }

  it('is granted once when the chain shows it, also if it is sent again', async () => {
    const payment = await payUnseen();
    expect(await balanceOf(gateway, wallet)).toMatchObject({ grantedMicros: 0 });
    gateway.solana.mainnet.faults.reset();
    await until(async () => (await balanceOf(gateway, wallet)).grantedMicros > 0);
    await leaves(gateway, { transfers: 0, arrivals: 0 }, async () => {
      for (let again = 0; again < 3; again++) {
        const response = await sendPaid(gateway, call, payment);
        expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
      }
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ grantedMicros: BUNDLE - PRICE, spentMicros: 0 });
  });

  it('lets a signature for the same request wait, and then brings it the answer without a charge', async () => {
    await payUnseen();
    await leaves(gateway, { transfers: 0, arrivals: 0 }, async () => {
      const pending = await spend(gateway, call, wallet.signIn);
      expect([pending.status, (await bodyOf(pending)).error]).toEqual([503, 'settlement_pending']);
      expect(pending.headers.has(HEADERS.paymentRequired)).toBe(false);
      gateway.solana.mainnet.faults.reset();
      await until(async () => (await balanceOf(gateway, wallet)).grantedMicros > 0);
      const answered = await spend(gateway, call, wallet.signIn);
      expect([answered.status, answered.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 0 });
    await until(async () => (await (await spend(gateway, call, wallet.signIn)).json()).ok === true);
    await until(async () => (await balanceOf(gateway, wallet)).spentMicros === PRICE);
  });
});

it('a challenge with a bundle says how its route is called, and fits a header of 4 KiB', async () => {
  for (const { id } of paidRoutes) {
    const response = await send(gateway, callOf(id));
    const header = response.headers.get(HEADERS.paymentRequired) ?? '';
    const { accepts, extensions } = JSON.parse(Buffer.from(header, 'base64').toString());
    const [last, isShort] = [accepts.at(-1).amount, header.length <= 4096];
    expect({ id, isShort, last, extensions: Object.keys(extensions) }).toEqual({
      ...{ id, isShort: true, last: String(BUNDLE), extensions: ['bazaar'] },
    });
  }
});

describe('a script in a browser', () => {
  it('may send Prefer: credit and read the balance', async () => {
    const headers = { Origin: 'https://app.example', 'Access-Control-Request-Headers': 'prefer' };
    const preflight = await send(gateway, { target: call.target, init: { headers, method: 'OPTIONS' } });
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toMatch(/, Prefer$/);
    const wallet = await openWallet(gateway.solana);
    const bought = await buyCredit(gateway, wallet);
    expect(bought.headers.get('Access-Control-Expose-Headers')).toMatch(/, Credit$/);
  });
});

describe('a purchase of credit', () => {
  it('takes an empty object as well as no body, and nothing else', async () => {
    const wallet = await openWallet(gateway.solana);
    const asJson = { 'Content-Type': 'application/json' };
    const empty = { target: '/v1/x402/credit/mainnet', init: { method: 'POST', headers: asJson, body: '{}' } };
    const bought = await sendPaid(gateway, empty, await paymentOf(gateway, empty, wallet, BUNDLE));
    expect(bought.status).toBe(200);
    const more = { ...empty, init: { ...empty.init, body: '{"amount":1}' } };
    const payment = await paymentOf(gateway, more, wallet, BUNDLE);
    await leavesNoTrace(gateway, async () => {
      const refused = await sendPaid(gateway, more, payment);
      expect([refused.status, (await bodyOf(refused)).error]).toEqual([400, 'invalid_request']);
    });
  });
});

it('W8 key pairs without money that sign bundles are refused by their verification', async () => {
  const settle = vi.spyOn(InProcessFacilitator.prototype, 'settle');
  await leaves(gateway, { transfers: 0, arrivals: 0 }, async () => {
    for (const each of [call, buying('mainnet')]) {
      for (let count = 0; count < 5; count++) {
        const payment = await paymentOf(gateway, each, await openWallet(gateway.solana, 1n), BUNDLE);
        expect((await sendPaid(gateway, each, payment)).status).toBe(402);
      }
    }
  });
  expect(settle).not.toHaveBeenCalled();
});

/** Signs the challenge of a call with other words in it. */
async function signed(of: Example, words: Partial<SignInChallenge['info']> = {}, more: Partial<SignInChallenge> = {}) {
  const { url, headers } = { url: gateway.url + of.target, headers: { ...of.init.headers, Prefer: 'credit' } };
  const challenge = await challengeFor(url, { ...of.init, headers });
  return signIn({ ...challenge, info: { ...challenge.info, ...words }, ...more }, wallet.signIn, new URL(url));
}

/** Shows that a signature buys nothing, and is asked for again. */
async function spendsNothing(code: string, header: string, at = call): Promise<void> {
  await leavesNoTrace(gateway, async () => {
    const response = await send(gateway, at, { [HEADERS.signIn]: header });
    expect([response.status, (await bodyOf(response)).error]).toEqual([402, code]);
    expect(response.headers.has(HEADERS.paymentRequired)).toBe(true);
  });
  expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 0, heldMicros: 0 });
}

const FREE: Example = { target: '/v1/x402/credit', init: { method: 'GET', headers: {} } };
const nonceFor = async ({ target, init }: Example, headers: object = {}) =>
  (await challengeFor(gateway.url + target, { ...init, headers: { ...init.headers, ...headers } })).info.nonce;
const onDevnet = { supportedChains: [{ chainId: NETWORKS.devnet, type: 'ed25519' }] };

describe('a signature spends nothing', () => {
  const byAnother = async () => {
    const made = decodeHeader(await spendingHeader(gateway, call, newSigner()));
    return encodeHeader({ ...made, address: wallet.address });
  };

  it.each<[name: string, code: string, sign: () => Promise<string>, at?: Example]>([
    ['that names the bare origin', 'invalid_siwx_uri_mismatch', () => signed(call, { uri: gateway.url })],
    ['at another path than the one that it names', 'invalid_siwx_uri_mismatch', () => signed(call), other],
    ['with the nonce of a free route', 'invalid_siwx_nonce', async () => signed(call, { nonce: await nonceFor(FREE) })],
    ['that another wallet has made', 'invalid_siwx_signature', byAnother],
    ['that names another network', 'invalid_siwx_unsupported_chain', () => signed(call, {}, onDevnet)],
  ])('%s', async (_, code, sign, at) => spendsNothing(code, await sign(), at));

  it('and opens no free route with its nonce', async () => {
    const header = await signed(FREE, { nonce: await nonceFor(call, { Prefer: 'credit' }) });
    const response = await send(gateway, FREE, { [HEADERS.signIn]: header });
    expect([response.status, (await bodyOf(response)).error]).toEqual([402, 'invalid_siwx_nonce']);
  });
});

describe('credit of devnet', () => {
  it('buys nothing on mainnet, by signature or by payment, and is good on devnet', async () => {
    const poor = await openWallet(gateway.solana);
    await buyCredit(gateway, poor, 50_000, 'devnet');
    await leavesNoTrace(gateway, async () => {
      const response = await spend(gateway, call, poor.signIn);
      expect([response.status, (await bodyOf(response)).error]).toEqual([402, 'credit_exhausted']);
    });
    const devnet = callOf('rpc.devnet.helius.getBalance');
    await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
      expect((await spend(gateway, devnet, poor.signIn)).status).toBe(200);
    });
    await leaves(gateway, { transfers: 1, arrivals: 1 }, () => poor.buy(gateway.url + call.target, call.init));
  });
});

describe('a signature that has spent', () => {
  it('is used up for another body, and gets the same answer for its own', async () => {
    const header = await spendingHeader(gateway, call, wallet.signIn);
    const first = await send(gateway, call, { [HEADERS.signIn]: header });
    const text = await first.text();
    const { spentMicros } = await balanceOf(gateway, wallet);
    await leavesNoTrace(gateway, async () => {
      const body = `${call.init.body} `;
      const response = await send(gateway, { ...call, init: { ...call.init, body } }, { [HEADERS.signIn]: header });
      const { error, payment } = await bodyOf(response);
      expect([response.status, error, payment?.state]).toEqual([409, 'payment_already_used', 'settled']);
      const again = await send(gateway, call, { [HEADERS.signIn]: header });
      expect([await again.text(), again.headers.get(HEADERS.replayed)]).toEqual([text, 'true']);
    });
    expect((await balanceOf(gateway, wallet)).spentMicros).toBe(spentMicros);
  });
});

/** Expects an error without a challenge: x402's clients pay only on a 402. */
async function asksForNothing(response: Response, status: number, code: string): Promise<void> {
  expect([response.status, (await bodyOf(response)).error]).toEqual([status, code]);
  expect(response.headers.has(HEADERS.paymentRequired)).toBe(false);
}

/** x402's own client, at the same moment, makes no payment either. */
async function clientPaysNothing(): Promise<void> {
  const transfers = gateway.solana.mainnet.transfers.length;
  await (await wallet.buy(gateway.url + call.target, call.init)).arrayBuffer();
  expect(gateway.solana.mainnet.transfers).toHaveLength(transfers);
}

describe('a wallet with credit makes no payment', () => {
  it('when it has the most calls in flight that it may have: 429', async () => {
    const upstream = new EventEmitter();
    gateway.solana.provider.faults.until = once(upstream, 'answer');
    const arrivals = gateway.solana.provider.arrivals.length;
    const running = Array.from({ length: AT_ONCE }, () => spend(gateway, call, wallet.signIn));
    await until(() => gateway.solana.provider.arrivals.length === arrivals + AT_ONCE);
    const response = await spend(gateway, call, wallet.signIn);
    expect(response.headers.get('retry-after')).toBe('1');
    await asksForNothing(response, 429, 'rate_limited');
    const paying = clientPaysNothing();
    // Its payment waits for a turn by now, which nothing shows; on a busy machine it may come later.
    await pause(500);
    upstream.emit('answer');
    await paying;
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(running.map(() => 200));
  });

  it('when a signature is still running, for its own body or another one: 409, and no charge if the call fails', async () => {
    const upstream = new EventEmitter();
    Object.assign(gateway.solana.provider.faults, { until: once(upstream, 'answer'), status: 500 });
    const header = await spendingHeader(gateway, call, wallet.signIn);
    const arrivals = gateway.solana.provider.arrivals.length;
    const running = send(gateway, call, { [HEADERS.signIn]: header });
    await until(() => gateway.solana.provider.arrivals.length === arrivals + 1);
    await asksForNothing(await send(gateway, call, { [HEADERS.signIn]: header }), 409, 'payment_in_progress');
    const other = { ...call, init: { ...call.init, body: `${call.init.body} ` } };
    const { error, payment } = await bodyOf(await send(gateway, other, { [HEADERS.signIn]: header }));
    expect([error, payment?.state]).toEqual(['payment_already_used', 'in_progress']);
    upstream.emit('answer');
    const failed = await running;
    expect([failed.status, (await bodyOf(failed)).payment?.state]).toEqual([502, 'unused']);
    expect(gateway.solana.provider.arrivals).toHaveLength(arrivals + 1);
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 0, heldMicros: 0 });
  });

  it('when the upstream fails: 502, and after ten failures in a minute 429 without a call', async () => {
    gateway.solana.provider.faults.status = 500;
    for (let count = 0; count < FAILURES; count++) {
      await asksForNothing(await spend(gateway, call, wallet.signIn), 502, 'upstream_error');
    }
    await leaves(gateway, { transfers: 0, arrivals: 0 }, async () => {
      await asksForNothing(await spend(gateway, call, wallet.signIn), 429, 'rate_limited');
      const payment = await paymentOf(gateway, call, wallet, PRICE);
      await asksForNothing(await sendPaid(gateway, call, payment), 429, 'rate_limited');
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 0, heldMicros: 0 });
  });

  it('when its request is not valid: 400, and the signature is good for a valid one', async () => {
    const header = await spendingHeader(gateway, call, wallet.signIn);
    await leavesNoTrace(gateway, async () => {
      const wrong = { ...call, init: { ...call.init, body: '{"params":["not a wallet",1,2,3]}' } };
      await asksForNothing(await send(gateway, wrong, { [HEADERS.signIn]: header }), 400, 'invalid_request');
    });
    expect((await send(gateway, call, { [HEADERS.signIn]: header })).status).toBe(200);
  });
});

/** The challenge for a client that prefers credit. */
async function creditRequiredFor(call: Example): Promise<PaymentRequired> {
  return (await (await send(small, call, { Prefer: 'credit' })).json()) as PaymentRequired;
}

/** Makes the sign-in header for a call. */
type Sign = (required: PaymentRequired, call: Example) => Promise<string>;

const urlOf = ({ target }: Example): URL => new URL(target, small.url);

function challengeOf(required: Parameters<typeof challengeIn>[0]) {
  const challenge = challengeIn(required);
  if (!challenge) throw new Error('no challenge');
  return challenge;
}

const bySolana =
  (wallet: Wallet): Sign =>
  (required, call) =>
    signIn(challengeOf(required), wallet.signIn, urlOf(call));

const ethereum = privateKeyToAccount(generatePrivateKey());

/** A chain that the challenge does not offer. */
const byEthereum: Sign = async (required, call) => {
  const info = { ...challengeOf(required).info, chainId: 'eip155:8453', type: 'eip191' as const };
  return encodeSIWxHeader(await createSIWxPayload(info, ethereum, urlOf(call)));
};

/** Sends a payment of the bundle and a sign-in with it. */
async function sendBoth(wallet: Wallet, sign: Sign): Promise<Response> {
  const call = anyCall();
  const required = await creditRequiredFor(call);
  const payment = headerOf(await wallet.pay(choose(required, SMALL)));
  return send(small, call, { [HEADERS.payment]: payment, [HEADERS.signIn]: await sign(required, call) });
}

describe.each([
  ['a sign-in of the same wallet', bySolana],
  ['a sign-in for eip155, which the challenge does not offer', () => byEthereum],
])('a client that sends a payment and %s', (_, signOf) => {
  it('settles once for a bundle, then not until it is used up, and once for the next', async () => {
    const wallet = await openWallet(small.solana);
    const sign = signOf(wallet);
    const buys = () =>
      leaves(small, { transfers: 1, arrivals: 1 }, async () => {
        const { status, headers } = await sendBoth(wallet, sign);
        expect([status, headers.get(HEADERS.credit)]).toEqual([200, `balance=${SMALL - PRICE}`]);
      });
    await buys();
    await leaves(small, { transfers: 0, arrivals: COVERED }, async () => {
      for (let count = 1; count <= COVERED; count++) {
        const { status, headers } = await sendBoth(wallet, sign);
        const left = SMALL - PRICE - count * PRICE;
        expect([status, headers.get(HEADERS.credit)]).toEqual([200, `charged=${PRICE}, balance=${left}`]);
      }
    });
    await buys();
    expect(await balanceOf(small, wallet)).toMatchObject({ balanceMicros: SMALL - PRICE, heldMicros: 0 });
  });
});

describe('a sign-in that was sent with a payment', () => {
  it('is not used up by it, and spends by itself afterwards', async () => {
    const wallet = await openWallet(small.solana);
    await sendBoth(wallet, bySolana(wallet));
    const call = anyCall();
    const required = await creditRequiredFor(call);
    const signature = { [HEADERS.signIn]: await bySolana(wallet)(required, call) };
    const payment = { [HEADERS.payment]: headerOf(await wallet.pay(choose(required, PRICE))) };
    await leaves(small, { transfers: 0, arrivals: 2 }, async () => {
      expect((await send(small, call, { ...signature, ...payment })).status).toBe(200);
      expect((await send(small, call, signature)).status).toBe(200);
    });
    expect(await balanceOf(small, wallet)).toMatchObject({ spentMicros: 2 * PRICE });
  });
});

describe('a sign-in for eip155 without a payment', () => {
  it('is refused with a payment and a sign-in that are possible, without an upstream call', async () => {
    const call = anyCall();
    const header = await byEthereum(await creditRequiredFor(call), call);
    await leavesNoTrace(small, async () => {
      const refused = await send(small, call, { [HEADERS.signIn]: header });
      const body = await bodyOf(refused);
      expect([refused.status, body.error]).toEqual([402, 'invalid_siwx_unsupported_chain']);
      expect(body.accepts).toHaveLength(2);
      const { supportedChains } = challengeOf(body);
      expect(supportedChains.map(({ type }) => type)).toEqual(['ed25519']);
    });
  });
});

describe('an account that is read very often', () => {
  it('X3 is answered a few times a second, and a refused signature can be used again', async () => {
    const url = `${gateway.url}/v1/x402/credit`;
    const reader = newSigner();
    const headers = await Promise.all(Array.from({ length: 12 }, () => signedHeader(url, {}, reader)));
    const ask = (header: string) => fetch(url, { headers: { [HEADERS.signIn]: header } });
    const refused: string[] = [];
    for (const [index, response] of (await Promise.all(headers.map(ask))).entries()) {
      if (response.status === 200) continue;
      const told = { error: 'rate_limited', retryAfterSeconds: 1 };
      expect([response.status, await bodyOf(response)]).toMatchObject([429, told]);
      refused.push(headers[index] ?? '');
    }
    expect(refused.length).toBeGreaterThan(0);
    await until(async () => (await ask(refused[0] ?? '')).status === 200);
  });
});

/** Runs a task once, before the next call of a method. */
function before<Name extends 'find' | 'look'>(name: Name, task: (payments: Payments) => Promise<unknown>): void {
  const method = Payments.prototype[name] as (...values: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(Payments.prototype, name) as unknown as ReturnType<typeof vi.fn>;
  spy.mockImplementationOnce(async function (this: Payments, ...values: unknown[]) {
    await task(this);
    return method.apply(this, values);
  });
}

describe('a price that is held while the upstream is slow', () => {
  it.each<[string, () => Promise<Record<string, string>>]>([
    ['signature', async () => ({ [HEADERS.signIn]: await spendingHeader(gateway, call, wallet.signIn) })],
    ['covered payment', async () => ({ [HEADERS.payment]: headerOf(await paymentOf(gateway, call, wallet, PRICE)) })],
  ])('W5 stays held for as long as that may take: a copy of its %s causes no second call', async (_, sign) => {
    const signed = await sign();
    const copies: unknown[] = [];
    const { capture, now } = Accounts.prototype;
    vi.spyOn(Accounts.prototype, 'capture').mockImplementationOnce(async function (this: Accounts, debit, answer) {
      vi.spyOn(Accounts.prototype, 'now').mockImplementation(function (this: Accounts) {
        return now.call(this) + TIMES.leastHoldMs + 1_000;
      });
      const copy = await send(gateway, call, signed);
      copies.push(copy.status, (await bodyOf(copy)).error);
      return capture.call(this, debit, answer);
    });
    const answer = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => send(gateway, call, signed));
    expect([answer.status, answer.headers.get(HEADERS.credit)]).toEqual([200, CHARGED]);
    expect(copies).toEqual([409, 'payment_in_progress']);
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: PRICE, heldMicros: 0 });
  });
});

it('W5 a refusal because of the database does not wait until the held price is released', async () => {
  const signed = { [HEADERS.signIn]: await spendingHeader(gateway, call, wallet.signIn) };
  vi.spyOn(Accounts.prototype, 'capture').mockRejectedValueOnce(new Error('ENOSPC'));
  const released = vi.spyOn(Accounts.prototype, 'release').mockReturnValueOnce(new Promise(() => undefined));
  const refused = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => send(gateway, call, signed));
  const { error, payment } = await bodyOf(refused);
  expect([refused.status, error, payment?.state]).toEqual([503, 'state_unavailable', 'pending']);
  expect(released).toHaveBeenCalledOnce();
  expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 0, heldMicros: PRICE });
});

describe('a signature for the request of a payment whose outcome is unknown', () => {
  /** The wallet has sent a payment without a ticket, which credit does not cover and which never lands. */
  async function openUndecided() {
    Object.assign(gateway.solana.mainnet.faults, { loseBroadcast: true, dropAfterBroadcast: true });
    const pending = await sendPaid(gateway, call, asVersion1(await paymentOf(gateway, call, wallet, PRICE)));
    expect([pending.status, (await bodyOf(pending)).error]).toEqual([503, 'settlement_pending']);
    const signed = { [HEADERS.signIn]: await spendingHeader(gateway, call, wallet.signIn) };
    return () => send(gateway, call, signed);
  }

  it.each([
    ['looks for open payments', 'look'],
    ['reads this one', 'find'],
  ] as const)('is charged if the payment turns out as refused before the gateway %s', async (_, name) => {
    const ask = await openUndecided();
    const refused: string[] = [];
    before(name, async (payments) => {
      for (const { key, payer } of await payments.openPayments())
        if (payer === wallet.address) refused.push((await payments.resolve(key, EXPIRED)).verdict);
    });
    const answer = await leaves(gateway, { transfers: 0, arrivals: 1 }, ask);
    expect([answer.status, answer.headers.get(HEADERS.credit)]).toEqual([200, CHARGED]);
    expect(refused).toEqual(['done']);
  });
});
