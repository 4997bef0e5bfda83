import { type SignInChallenge, signIn } from '@asset-gateway/client';
import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Example } from '../http/targets.ts';
import { WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { challengeFor, decodeHeader, encodeHeader, newSigner } from '../kit/wallet.ts';
import { bodyOf, callOf, leaves, leavesNoTrace, send, sendPaid } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import {
  balanceOf,
  buyCredit,
  openCreditedWallet,
  paymentOf,
  spend,
  spendingHeader,
  startCreditGateway,
} from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const other = callOf('rpc.mainnet.alchemy.getBalance');
const [PRICE, AT_ONCE, FAILURES] = [5, 8, 10];
const PREFER = { Prefer: 'credit' };

const gateway = await startCreditGateway(WITHOUT_BREAKER);

let wallet: Wallet;
beforeEach(async () => {
  gateway.solana.provider.faults.reset();
  wallet = await openCreditedWallet(gateway);
});

/** Signs the challenge of a call with other words in it. */
async function signed(of: Example, change: (challenge: SignInChallenge) => SignInChallenge): Promise<string> {
  const challenge = await challengeFor(gateway.url + of.target, {
    ...of.init,
    headers: { ...of.init.headers, ...PREFER },
  });
  return signIn(change(challenge), wallet.signIn, new URL(gateway.url + of.target));
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

describe('a signature spends nothing', () => {
  it('that names the bare origin', async () => {
    const header = await signed(call, (challenge) => ({ ...challenge, info: { ...challenge.info, uri: gateway.url } }));
    await spendsNothing('invalid_siwx_uri_mismatch', header);
  });

  it('at another path than the one that it names', async () => {
    await spendsNothing('invalid_siwx_uri_mismatch', await spendingHeader(gateway, call, wallet.signIn), other);
  });

  it('with the nonce of a free route, nor opens a free route with its own', async () => {
    const { info } = await challengeFor(`${gateway.url}/v1/x402/credit`);
    const header = await signed(call, (challenge) => ({
      ...challenge,
      info: { ...challenge.info, nonce: info.nonce },
    }));
    await spendsNothing('invalid_siwx_nonce', header);
    const free: Example = { target: '/v1/x402/credit', init: { method: 'GET', headers: {} } };
    const spending = await challengeFor(gateway.url + call.target, {
      ...call.init,
      headers: { ...call.init.headers, ...PREFER },
    });
    const swapped = await signed(free, (challenge) => ({
      ...challenge,
      info: { ...challenge.info, nonce: spending.info.nonce },
    }));
    const response = await send(gateway, free, { [HEADERS.signIn]: swapped });
    expect([response.status, (await bodyOf(response)).error]).toEqual([402, 'invalid_siwx_nonce']);
  });

  it('that another wallet has made', async () => {
    const header = decodeHeader(await spendingHeader(gateway, call, newSigner()));
    await spendsNothing('invalid_siwx_signature', encodeHeader({ ...header, address: wallet.address }));
  });

  it('that names another network', async () => {
    const devnet = [{ chainId: NETWORKS.devnet, type: 'ed25519' }];
    const header = await signed(call, (challenge) => ({ ...challenge, supportedChains: devnet }));
    await spendsNothing('invalid_siwx_unsupported_chain', header);
  });
});

describe('credit of devnet', () => {
  it('buys nothing on mainnet, by signature or by payment, and is good on devnet', async () => {
    const poor = await openWallet(gateway.solana);
    await buyCredit(gateway, poor, 50_000, 'devnet');
    await leavesNoTrace(gateway, async () => {
      const response = await send(gateway, call, {
        [HEADERS.signIn]: await spendingHeader(gateway, call, poor.signIn),
      });
      expect([response.status, (await bodyOf(response)).error]).toEqual([402, 'credit_exhausted']);
    });
    const devnet = callOf('rpc.devnet.helius.getBalance');
    await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
      const header = await spendingHeader(gateway, devnet, poor.signIn);
      expect((await send(gateway, devnet, { [HEADERS.signIn]: header })).status).toBe(200);
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
  it('when as many of its calls are on their way as may be: 429', async () => {
    gateway.solana.provider.faults.delayMs = 1_500;
    const arrivals = gateway.solana.provider.arrivals.length;
    const running = Array.from({ length: AT_ONCE }, () => spend(gateway, call, wallet.signIn));
    await until(() => gateway.solana.provider.arrivals.length === arrivals + AT_ONCE);
    const response = await spend(gateway, call, wallet.signIn);
    expect(response.headers.get('retry-after')).toBe('1');
    await asksForNothing(response, 429, 'rate_limited');
    await clientPaysNothing();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(running.map(() => 200));
  });

  it('when a signature is still running, for its own body or another one: 409, and no charge if the call fails', async () => {
    Object.assign(gateway.solana.provider.faults, { delayMs: 500, status: 500 });
    const header = await spendingHeader(gateway, call, wallet.signIn);
    const arrivals = gateway.solana.provider.arrivals.length;
    const running = send(gateway, call, { [HEADERS.signIn]: header });
    await until(() => gateway.solana.provider.arrivals.length === arrivals + 1);
    await asksForNothing(await send(gateway, call, { [HEADERS.signIn]: header }), 409, 'payment_in_progress');
    const other = { ...call, init: { ...call.init, body: `${call.init.body} ` } };
    const { error, payment } = await bodyOf(await send(gateway, other, { [HEADERS.signIn]: header }));
    expect([error, payment?.state]).toEqual(['payment_already_used', 'in_progress']);
    const failed = await running;
    expect([failed.status, (await bodyOf(failed)).payment?.state]).toEqual([502, 'unused']);
    expect(gateway.solana.provider.arrivals).toHaveLength(arrivals + 1);
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 0, heldMicros: 0 });
  });

  it('when the upstream fails, and is left alone after ten failures in a minute: 502, then 429', async () => {
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
