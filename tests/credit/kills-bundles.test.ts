import { expect, it } from 'vitest';
import { openWallet } from '../payments/wallets.ts';
import {
  accountOf,
  expectAnsweredOnce,
  expectOrder,
  KILLS,
  killedAfter,
  killingSuite,
  paymentFor,
  tracesOf,
} from './kills.ts';

const [PRICE, BUNDLE] = [500, 50_000];
const STEPS = ['reserve', 'verify', 'upstream', 'store', 'settle', 'record', 'respond'];

killingSuite('a bundle whose gateway is killed', (street) => {
  it('after any step is one transfer, one grant and one answer', { timeout: 1_800_000 }, async () => {
    for (let round = 0; round < KILLS; round++) {
      const all = [];
      // What they have reserved lapses in the same seconds.
      for (const step of STEPS) {
        const open = () => openWallet(street().solana);
        all.push(
          await killedAfter(step, street(), {
            open,
            pay: (wallet, url, path) => paymentFor(url + path, wallet, 'bundle'),
          }),
        );
      }
      for (const killed of all) {
        await expectAnsweredOnce(street(), killed);
        const { url } = await street().standing();
        const { step, wallet } = killed;
        expect([step, tracesOf(street(), killed).transfers]).toEqual([step, 1]);
        const balanceMicros = BUNDLE - PRICE;
        expect(await accountOf(url, wallet)).toMatchObject({
          grantedMicros: balanceMicros,
          spentMicros: 0,
          balanceMicros,
        });
      }
      await expectOrder(street());
    }
  });
});
