import { type SignInChallenge, signIn } from '@asset-gateway/client';
import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import type { Example } from '../http/targets.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { challengeFor, decodeHeader, encodeHeader, newSigner } from '../kit/wallet.ts';
import { bodyOf, callOf, leaves, leavesNoTrace, send } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { balanceOf, buyCredit, spendingHeader, startCreditGateway } from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const other = callOf('rpc.mainnet.alchemy.getBalance');
const PREFER = { Prefer: 'credit' };

const gateway = await stopAfterTests(startCreditGateway());

let wallet: Wallet;
beforeEach(async () => {
  wallet = await openWallet(gateway.solana);
  await buyCredit(gateway, wallet);
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
      expect(await (await send(gateway, call, { [HEADERS.signIn]: header })).text()).toBe(text);
    });
    expect((await balanceOf(gateway, wallet)).spentMicros).toBe(spentMicros);
  });
});
