import { GatewayError, type Payer } from '@asset-gateway/client';
import { type Offer, offerIn } from '@asset-gateway/client/pay';
import { type Paying, payerFor } from '../money/paying.ts';

/** What this server pays with. */
export type Purse = Omit<Paying, 'caps' | 'isTold'>;

/** What is spent without asking. */
export interface Budget {
  readonly perCallUsd: number;
  readonly perDayUsd: number;
}

/** Nothing was signed: this would have had to be paid, and somebody has to be asked first. */
export class Unpaid extends Error {
  readonly offer: Offer;

  constructor(offer: Offer) {
    super('nothing was paid');
    this.offer = offer;
  }
}

/** Never pays, and says what would have been asked for. */
export const quotingPayer: Payer = {
  async pay(required, wish) {
    const offer = offerIn(required, wish);
    if (!offer) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
    throw new Unpaid(offer);
  },
};

const isLimit = (error: unknown): boolean => error instanceof GatewayError && error.code === 'spending_limit';

/** Pays within the budget without asking, and beyond it says what would have been asked for. */
export function budgetPayer(purse: Purse, caps: Budget): Payer {
  const payer = payerFor({ ...purse, caps, isTold: true });
  return {
    async pay(required, wish) {
      try {
        return await payer.pay(required, wish);
      } catch (error) {
        if (!isLimit(error)) throw error;
        // Nobody is asked to pay more than the catalog says.
        const decision = await payer.quote(required, wish);
        if ('again' in decision) throw error;
        throw new Unpaid(decision.offer);
      }
    },
  };
}

const isSame = (one: Offer, other: Offer): boolean =>
  (['network', 'asset', 'payTo', 'amount'] as const).every((name) => one[name] === other[name]);

/** Pays this offer, which somebody has agreed to, and no other. It counts against the budget like all that is spent. */
export function approvedPayer(purse: Purse, approved: Offer): Payer {
  const unlimited = { perCallUsd: Number(approved.amount) / 1e6, perDayUsd: 1e9 };
  const payer = payerFor({ ...purse, caps: unlimited, isTold: true });
  return {
    async pay(required, wish) {
      const offer = offerIn(required, wish);
      if (offer && !isSame(offer, approved)) throw new Unpaid(offer);
      return payer.pay(required, wish);
    },
  };
}
