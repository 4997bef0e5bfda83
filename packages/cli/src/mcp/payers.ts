import { GatewayError, type Payer } from '@asset-gateway/client';
import { type Offer, offerIn, payWith, type SpendingLedger } from '@asset-gateway/client/pay';

/** What this server pays with. */
export interface Purse {
  /** The wallet, base58. */
  readonly address: string;
  /** Its 64 bytes. */
  readonly keypair: Uint8Array;
  readonly rpcUrl: (network: string) => string;
  /** Where spending is written down. */
  readonly ledger: SpendingLedger;
  /** Millionths of a dollar that were spent in the last 24 hours. */
  readonly spentMicros: () => number;
  /** Is asked before anything is signed; throws what speaks against it. */
  readonly approve?: (offer: Offer) => Promise<void>;
}

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
  async pay(required, { buys }) {
    const offer = offerIn(required, buys);
    if (!offer) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
    throw new Unpaid(offer);
  },
};

const isLimit = (error: unknown): boolean => error instanceof GatewayError && error.code === 'spending_limit';

/** Pays within the budget without asking, and beyond it says what would have been asked for. */
export function budgetPayer({ keypair: wallet, ...purse }: Purse, caps: Budget): Payer {
  const payer = payWith({ wallet, ...purse, caps });
  return {
    async pay(required, wish) {
      try {
        return await payer.pay(required, wish);
      } catch (error) {
        if (isLimit(error)) return quotingPayer.pay(required, wish);
        throw error;
      }
    },
  };
}

const isSame = (one: Offer, other: Offer): boolean =>
  one.network === other.network &&
  one.payTo === other.payTo &&
  one.amount === other.amount &&
  one.asset === other.asset;

/** Pays this offer, which somebody has agreed to, and no other. It counts against the budget like all that is spent. */
export function approvedPayer({ keypair: wallet, ...purse }: Purse, approved: Offer): Payer {
  const unlimited = { perCallUsd: Number.POSITIVE_INFINITY, perDayUsd: Number.POSITIVE_INFINITY };
  const approve = async (offer: Offer): Promise<void> => {
    if (!isSame(offer, approved)) throw new Unpaid(offer);
    await purse.approve?.(offer);
  };
  return payWith({ wallet, ...purse, caps: unlimited, approve });
}
