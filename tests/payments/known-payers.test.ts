import { NETWORKS } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKnownPayer, PAYMENTS, type Paid, withPaid } from '../../packages/gateway/src/payments/record.ts';
import { ledgerSuite, newPayment, requirementOf, settle, startSettling } from '../kit/ledger.ts';

const [LEAST, DAY_MS] = [10_000, 86_400_000];
const { mainnet, devnet } = NETWORKS;

const newWallet = (): string => newPayment().payer;

const paymentOf = (payer: string, micros: number, network: string = mainnet) =>
  newPayment({ payer, network, requirement: requirementOf(micros) });

ledgerSuite('known payers', (ledger) => {
  /** Whether a payment of this wallet counts as that of a known payer. */
  const isKnownOn = async (network: string, payer: string) =>
    (await ledger.payments.look(paymentOf(payer, 5, network))).isKnownPayer;

  const pay = (payer: string, micros: number, network?: string) => settle(ledger, paymentOf(payer, micros, network));

  describe('a known payer', () => {
    it('W4 is a wallet whose mainnet payments come to one cent, and on devnet as well', async () => {
      const [one, several, poor] = [newWallet(), newWallet(), newWallet()];
      await pay(one, LEAST);
      for (const micros of [5, LEAST - 10, 4]) await pay(several, micros);
      await pay(poor, LEAST - 1);
      expect(await ledger.payments.isKnownPayer(one)).toBe(true);
      for (const network of [mainnet, devnet]) expect(await isKnownOn(network, one)).toBe(true);
      expect(await ledger.payments.isKnownPayer(several)).toBe(false);
      await pay(several, 1);
      expect(await ledger.payments.isKnownPayer(several)).toBe(true);
      await ledger.reopen();
      expect(await ledger.payments.isKnownPayer(several)).toBe(true);
      expect(await ledger.payments.isKnownPayer(poor)).toBe(false);
    });

    it('W4 is not a wallet that has paid only on devnet', async () => {
      const wallet = newWallet();
      await pay(wallet, 5, devnet);
      await pay(wallet, 100 * LEAST, devnet);
      for (const network of [mainnet, devnet]) expect(await isKnownOn(network, wallet)).toBe(false);
      await ledger.reopen();
      for (const network of [mainnet, devnet]) expect(await isKnownOn(network, wallet)).toBe(false);
      expect(await ledger.payments.isKnownPayer(wallet)).toBe(false);
    });

    it('W4 stays known for 30 days after its payment, across restarts and pruning', async () => {
      const wallet = newWallet();
      await pay(wallet, LEAST);
      for (let day = 1; day < 30; day++) {
        ledger.nowMs += DAY_MS;
        await ledger.retention.prune();
      }
      ledger.nowMs += DAY_MS - 60_000;
      await ledger.reopen();
      expect(await ledger.payments.isKnownPayer(wallet)).toBe(true);
      ledger.nowMs += 60_000;
      expect(await ledger.payments.isKnownPayer(wallet)).toBe(false);
    });

    it('W4 payments in flight on devnet leave a wallet its four on mainnet', async () => {
      const wallet = newWallet();
      for (let count = 0; count < 4; count++) await startSettling(ledger, paymentOf(wallet, 5, devnet));
      expect(await ledger.payments.reserve(paymentOf(wallet, 5, devnet))).toBe('payer_busy');
      for (let count = 0; count < 4; count++) await startSettling(ledger, paymentOf(wallet, 5));
      expect(await ledger.payments.reserve(paymentOf(wallet, 5))).toBe('payer_busy');
    });
  });
});

describe('the stored mainnet payments of a payer', () => {
  const anyPayments = fc.array(fc.tuple(fc.integer({ min: 1, max: 12_000 }), fc.nat(3 * DAY_MS)), { maxLength: 120 });

  it('W4 identifies a known payer with at most 31 entries, up to a day less than 30 days back', () => {
    fc.assert(
      fc.property(anyPayments, fc.nat(40 * DAY_MS), (payments, laterMs) => {
        let [paid, nowMs]: [readonly Paid[], number] = [[], Date.parse('2026-11-20T00:00:00Z')];
        const all: Paid[] = [];
        for (const [micros, elapsedMs] of payments) {
          nowMs += elapsedMs;
          paid = withPaid(paid, micros, nowMs);
          all.push({ atMs: nowMs, micros });
          expect(paid.length).toBeLessThanOrEqual(31);
        }
        nowMs += laterMs;
        const sumOf = (spanMs: number) =>
          all.filter(({ atMs }) => nowMs - atMs < spanMs).reduce((sum, { micros }) => sum + micros, 0);
        const isKnown = isKnownPayer(paid, nowMs);
        if (isKnown) expect(sumOf(PAYMENTS.payerMs)).toBeGreaterThanOrEqual(LEAST);
        else expect(sumOf(PAYMENTS.payerMs - DAY_MS)).toBeLessThan(LEAST);
      }),
      { numRuns: 300 },
    );
  });
});
