import { challengeIn, signIn } from '@asset-gateway/client';
import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentRequired } from '@x402/core/types';
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { Example } from '../http/targets.ts';
import { isFull } from '../kit/rounds.ts';
import { bodyOf, headerOf, leaves, leavesNoTrace, send } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { anyCall, balanceOf, choose, startCreditGateway } from './gateway.ts';

const PRICE = 5;
const COVERED = isFull ? 100 : 3;
const BUNDLE = PRICE * (1 + COVERED);

const gateway = await startCreditGateway({}, { CREDIT_BUNDLE_USD: (BUNDLE / 1_000_000).toFixed(6) });

/** The challenge for a client that prefers credit. */
async function requiredFor(call: Example): Promise<PaymentRequired> {
  return (await (await send(gateway, call, { Prefer: 'credit' })).json()) as PaymentRequired;
}

/** Makes the sign-in header for a call. */
type Sign = (required: PaymentRequired, call: Example) => Promise<string>;

const urlOf = ({ target }: Example): URL => new URL(target, gateway.url);

function challengeOf(required: PaymentRequired) {
  const challenge = challengeIn(required);
  if (!challenge) throw new Error('no challenge');
  return challenge;
}

const bySolana =
  (wallet: Wallet): Sign =>
  (required, call) =>
    signIn(challengeOf(required), wallet.signIn, urlOf(call));

const account = privateKeyToAccount(generatePrivateKey());

/** A chain that the challenge does not offer. */
const byEthereum: Sign = async (required, call) => {
  const info = { ...challengeOf(required).info, chainId: 'eip155:8453', type: 'eip191' as const };
  return encodeSIWxHeader(await createSIWxPayload(info, account, urlOf(call)));
};

/** Sends a payment of the bundle and a sign-in with it. */
async function sendBoth(wallet: Wallet, sign: Sign): Promise<Response> {
  const call = anyCall();
  const required = await requiredFor(call);
  const payment = headerOf(await wallet.pay(choose(required, BUNDLE)));
  return send(gateway, call, { [HEADERS.payment]: payment, [HEADERS.signIn]: await sign(required, call) });
}

describe.each([
  ['a sign-in of the same wallet', bySolana],
  ['a sign-in for eip155, which the challenge does not offer', () => byEthereum],
])('a client that sends a payment and %s', (_, signOf) => {
  it('settles once for a bundle, then not until it is used up, and once for the next', async () => {
    const wallet = await openWallet(gateway.solana);
    const sign = signOf(wallet);
    const buys = () =>
      leaves(gateway, { transfers: 1, arrivals: 1 }, async () => {
        const { status, headers } = await sendBoth(wallet, sign);
        expect([status, headers.get(HEADERS.credit)]).toEqual([200, `balance=${BUNDLE - PRICE}`]);
      });
    await buys();
    await leaves(gateway, { transfers: 0, arrivals: COVERED }, async () => {
      for (let count = 1; count <= COVERED; count++) {
        const { status, headers } = await sendBoth(wallet, sign);
        const left = BUNDLE - PRICE - count * PRICE;
        expect([status, headers.get(HEADERS.credit)]).toEqual([200, `charged=${PRICE}, balance=${left}`]);
      }
    });
    await buys();
    expect(await balanceOf(gateway, wallet)).toMatchObject({ balanceMicros: BUNDLE - PRICE, heldMicros: 0 });
  });
});

describe('a sign-in that was sent with a payment', () => {
  it('is not used up by it, and spends by itself afterwards', async () => {
    const wallet = await openWallet(gateway.solana);
    await sendBoth(wallet, bySolana(wallet));
    const call = anyCall();
    const required = await requiredFor(call);
    const signature = { [HEADERS.signIn]: await bySolana(wallet)(required, call) };
    const payment = { [HEADERS.payment]: headerOf(await wallet.pay(choose(required, PRICE))) };
    await leaves(gateway, { transfers: 0, arrivals: 2 }, async () => {
      expect((await send(gateway, call, { ...signature, ...payment })).status).toBe(200);
      expect((await send(gateway, call, signature)).status).toBe(200);
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 2 * PRICE });
  });
});

describe('a sign-in for eip155 without a payment', () => {
  it('is refused with what can be paid and signed instead, and nothing is asked of the upstream', async () => {
    const call = anyCall();
    const header = await byEthereum(await requiredFor(call), call);
    await leavesNoTrace(gateway, async () => {
      const refused = await send(gateway, call, { [HEADERS.signIn]: header });
      const body = await bodyOf(refused);
      expect([refused.status, body.error]).toEqual([402, 'invalid_siwx_unsupported_chain']);
      expect(body.accepts).toHaveLength(2);
      expect(challengeOf(body as unknown as PaymentRequired).supportedChains).toEqual([
        expect.objectContaining({ type: 'ed25519' }),
      ]);
    });
  });
});
