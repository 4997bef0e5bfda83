import { HEADERS } from '@asset-gateway/protocol';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, callOf, leaves, send, sendPaid } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { balanceOf, paymentOf, spendingHeader, startCreditGateway } from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const PRICE = 5;
const BUNDLE = 50_000;

const gateway = await startCreditGateway();
afterAll(() => gateway.stop());

let wallet: Wallet;
beforeEach(async () => {
  gateway.solana.mainnet.faults.reset();
  wallet = await openWallet(gateway.solana);
});

const asksSigned = async () =>
  send(gateway, call, { [HEADERS.signIn]: await spendingHeader(gateway, call, wallet.signIn) });

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

describe('a bundle whose settlement is unknown', () => {
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
      const pending = await asksSigned();
      expect([pending.status, (await bodyOf(pending)).error]).toEqual([503, 'settlement_pending']);
      expect(pending.headers.has(HEADERS.paymentRequired)).toBe(false);
      gateway.solana.mainnet.faults.reset();
      await until(async () => (await balanceOf(gateway, wallet)).grantedMicros > 0);
      const answered = await asksSigned();
      expect([answered.status, answered.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 0 });
    await until(async () => (await (await asksSigned()).json()).ok === true);
    await until(async () => (await balanceOf(gateway, wallet)).spentMicros === PRICE);
  });
});
