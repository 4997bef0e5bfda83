import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CREDIT } from '../../packages/gateway/src/credit/account.ts';
import { PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { JOURNAL_KEEP_MS } from '../../packages/gateway/src/stores/sql/journal.ts';
import { grant, HOLDER, newPurchase, onBothDatabases } from '../kit/ledger.ts';
import type { SellingGateway } from '../kit/selling-gateway.ts';
import { callOf, sendPaid } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { buying, paymentOf, startCreditGateway } from './gateway.ts';

const CALL = callOf('rpc.mainnet.helius.getBalance');
const BUNDLE = 50_000;

describe('key pairs without money that sign bundles', () => {
  let gateway: SellingGateway;
  beforeAll(async () => {
    gateway = await startCreditGateway();
  });
  afterAll(() => gateway.stop());

  it('W8 are refused by their verification', async () => {
    for (const call of [CALL, buying('mainnet')]) {
      for (let count = 0; count < 5; count++) {
        const payment = await paymentOf(gateway, call, await openWallet(gateway.solana, 1n), BUNDLE);
        expect((await sendPaid(gateway, call, payment)).status).toBe(402);
      }
    }
    const { mainnet, provider } = gateway.solana;
    expect([mainnet.transfers, provider.arrivals]).toEqual([[], []]);
  });
});

onBothDatabases('wallets', (open) => {
  it('W8 are forgotten ten minutes after a payment that was not settled; those that bought credit are kept', async () => {
    const ledger = await open();
    const wallets = async () => {
      const rows = await ledger.database.report({ sql: 'select address from wallets order by address' });
      return rows.map(({ address }) => address);
    };
    await grant(ledger, BUNDLE);
    for (const payer of ['one', 'two']) {
      const payment = newPurchase(BUNDLE, { payer });
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
      await ledger.payments.release(payment.key, payment.owner, false);
    }
    expect(await wallets()).toEqual(['one', 'two', HOLDER.wallet]);
    ledger.nowMs += CREDIT.debitMs + 1;
    await ledger.retention.prune();
    expect(await wallets()).toEqual([HOLDER.wallet]);
    ledger.nowMs += JOURNAL_KEEP_MS + PAYMENTS.recordMs;
    await ledger.retention.prune();
    expect(await ledger.accounts.find(HOLDER)).toMatchObject({ grantedMicros: BUNDLE });
    await ledger.close();
  });
});
