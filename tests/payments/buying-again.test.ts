import { HEADERS } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { CANARY_PROVIDER_KEY, type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { callOf, leaves, paymentFor, ROOMY, requiredFor, sendPaid, transactionOf } from './calls.ts';
import { openWallet, type Wallet } from './wallets.ts';

let gateway: SellingGateway;
let wallet: Wallet;
beforeAll(async () => {
  const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY, blockMs: Number.POSITIVE_INFINITY });
  gateway = await startSellingGateway(ROOMY, { solana: solana });
  wallet = await openWallet(solana);
});
afterAll(async () => {
  await gateway.stop();
  await gateway.solana.close();
});

const call = callOf('rpc.mainnet.helius.getBalance');

describe('two purchases of the same answer under one blockhash are two', () => {
  it('when both are paid before either is sent', async () => {
    const first = await paymentFor(gateway, call, wallet);
    const second = await paymentFor(gateway, call, wallet);
    const { mainnet } = gateway.solana;
    const asked = mainnet.calls.filter(({ method }) => method === 'getLatestBlockhash').length;
    expect(asked).toBeGreaterThanOrEqual(2);
    expect(transactionOf(first)).not.toBe(transactionOf(second));
    await leaves(gateway, { transfers: 2, arrivals: 2 }, async () => {
      for (const payment of [first, second]) {
        const response = await sendPaid(gateway, call, payment);
        expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
        await response.arrayBuffer();
      }
    });
    const [a, b] = mainnet.transfers.slice(-2);
    expect(a?.signature).not.toBe(b?.signature);
    expect(a?.memo).not.toBe(b?.memo);
  });

  it('when the official client makes them one after the other', async () => {
    await leaves(gateway, { transfers: 2, arrivals: 2 }, async () => {
      for (let count = 0; count < 2; count++) {
        const response = await wallet.buy(`${gateway.url}${call.target}`, call.init);
        expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
        await response.arrayBuffer();
      }
    });
  });

  it('when two wallets pay for the same requirement: each pays for itself', async () => {
    const other = await openWallet(gateway.solana);
    const required = await requiredFor(gateway, call);
    await leaves(gateway, { transfers: 2, arrivals: 2 }, async () => {
      for (const payer of [wallet, other]) {
        const response = await sendPaid(gateway, call, await payer.pay(required));
        expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
        await response.arrayBuffer();
      }
    });
  });
});
