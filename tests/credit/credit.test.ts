import { HEADERS } from '@asset-gateway/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, callOf, leaves, leavesNoTrace, paidRoutes, send, sendPaid } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import {
  balanceOf,
  buyCredit,
  buying,
  openCreditedWallet,
  paymentOf,
  spend,
  spendingHeader,
  startCreditGateway,
  statementOf,
} from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const PRICE = 5;
const BUNDLE = 50_000;

const gateway = await startCreditGateway();

describe('credit that is bought by itself', () => {
  it('equals the payment, causes no upstream call, and is shown to its wallet', async () => {
    const wallet = await openWallet(gateway.solana);
    await leaves(gateway, { transfers: 1, arrivals: 0 }, async () => {
      const response = await buyCredit(gateway, wallet, 250_000);
      const { result } = await bodyOf(response);
      expect([response.status, result]).toEqual([
        200,
        expect.objectContaining({
          wallet: wallet.address,
          cluster: 'mainnet',
          balanceMicros: 250_000,
          boughtMicros: 250_000,
        }),
      ]);
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
    expect(await balanceOf(gateway, wallet)).toMatchObject({
      balanceMicros: BUNDLE - PRICE,
      grantedMicros: BUNDLE - PRICE,
    });
  });
});

describe('a signature that spends', () => {
  it('buys an answer for the price, and returns the balance', async () => {
    const wallet = await openCreditedWallet(gateway);
    const response = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => spend(gateway, call, wallet.signIn));
    expect([response.status, response.headers.get(HEADERS.credit)]).toEqual([
      200,
      `charged=${PRICE}, balance=${BUNDLE - PRICE}`,
    ]);
    expect(response.headers.get(HEADERS.paymentResponse)).toBeNull();
    expect(response.headers.get(HEADERS.replayNonce)).toMatch(/^[0-9a-f]{32}$/);
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: PRICE, heldMicros: 0 });
  });

  it('of a wallet without credit is asked to pay, and its nonce is good once there is some', async () => {
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

describe('a payment whose wallet has credit', () => {
  it('is covered: nothing settles, and it can be sent again for the same answer', async () => {
    const wallet = await openCreditedWallet(gateway);
    const payment = await paymentOf(gateway, call, wallet, PRICE);
    const [text] = await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
      const response = await sendPaid(gateway, call, payment);
      const settled = JSON.parse(Buffer.from(response.headers.get(HEADERS.paymentResponse) ?? '', 'base64').toString());
      expect([response.status, settled]).toEqual([
        200,
        { success: true, transaction: '', network: expect.any(String), payer: wallet.address, amount: '0' },
      ]);
      expect(response.headers.get(HEADERS.credit)).toBe(`charged=${PRICE}, balance=${BUNDLE - PRICE}`);
      return [await response.text()];
    });
    await leavesNoTrace(gateway, async () => {
      const again = await sendPaid(gateway, call, payment);
      expect([again.status, await again.text(), again.headers.get(HEADERS.replayed)]).toEqual([200, text, 'true']);
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: PRICE });
  });
});

describe('a bundle whose settlement is unknown', () => {
  let wallet: Wallet;
  beforeEach(async () => {
    gateway.solana.mainnet.faults.reset();
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

it.each(paidRoutes.map(({ id }) => id))(
  'a challenge with a bundle of %s says how the route is called, and fits a header of 4 KiB',
  async (id) => {
    const response = await send(gateway, callOf(id));
    const header = response.headers.get(HEADERS.paymentRequired) ?? '';
    expect(header.length).toBeLessThanOrEqual(4096);
    const { accepts, extensions } = JSON.parse(Buffer.from(header, 'base64').toString());
    expect(accepts.map(({ amount }: { amount: string }) => Number(amount)).at(-1)).toBe(BUNDLE);
    expect(Object.keys(extensions)).toEqual(['bazaar']);
  },
);

describe('a script in a browser', () => {
  it('may send Prefer: credit and read the balance', async () => {
    const preflight = await send(
      gateway,
      { target: call.target, init: { headers: {}, method: 'OPTIONS' } },
      { Origin: 'https://app.example', 'Access-Control-Request-Headers': 'prefer' },
    );
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
  await leaves(gateway, { transfers: 0, arrivals: 0 }, async () => {
    for (const each of [call, buying('mainnet')]) {
      for (let count = 0; count < 5; count++) {
        const payment = await paymentOf(gateway, each, await openWallet(gateway.solana, 1n), BUNDLE);
        expect((await sendPaid(gateway, each, payment)).status).toBe(402);
      }
    }
  });
});
