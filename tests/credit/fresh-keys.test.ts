import { expect, it } from 'vitest';
import { callOf, sendPaid } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { buying, paymentOf, startCreditGateway } from './gateway.ts';

const CALL = callOf('rpc.mainnet.helius.getBalance');
const BUNDLE = 50_000;

it('W8 key pairs without money that sign bundles are refused by their verification', async () => {
  const gateway = await startCreditGateway();
  for (const call of [CALL, buying('mainnet')]) {
    for (let count = 0; count < 5; count++) {
      const payment = await paymentOf(gateway, call, await openWallet(gateway.solana, 1n), BUNDLE);
      expect((await sendPaid(gateway, call, payment)).status).toBe(402);
    }
  }
  const { mainnet, provider } = gateway.solana;
  expect([mainnet.transfers, provider.arrivals]).toEqual([[], []]);
  await gateway.stop();
});
