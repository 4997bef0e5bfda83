import { HEADERS, type PaymentRequired } from '@asset-gateway/protocol';
import type { TransactionSigner } from '@solana/kit';
import { GatewayError } from './error.ts';
import { type Caps, memoryLedger, type SpendingLedger } from './ledger.ts';
import { type Offer, offerIn, type Payable, payableIn } from './offer.ts';
import type { Payer, PaymentWish, SignedPayment } from './payer.ts';
import { type PayingWallet, transactionSigner } from './paying-wallet.ts';
import { assertPays } from './payment-check.ts';

export { type Caps, type LedgerEntry, memoryLedger, type SpendingLedger } from './ledger.ts';
export { type Offer, offerIn } from './offer.ts';
export type { Payer, PaymentWish, SignedPayment } from './payer.ts';
export type { PayingWallet } from './paying-wallet.ts';
export { transactionIn } from './transaction.ts';

/** What a wallet pays with. */
export interface Purse {
  /** The 64 bytes of a key pair, a key pair of WebCrypto, a signer of `@solana/kit`, or a Wallet Standard wallet. */
  readonly wallet: PayingWallet;
  /** The RPC of the cluster that is paid on, for a fresh blockhash. */
  readonly rpcUrl: string;
}

/** How a wallet pays. */
export interface PayerOptions {
  readonly wallet: PayingWallet;
  /** The RPC for a fresh blockhash: one URL, or one for each network (CAIP-2). */
  readonly rpcUrl: string | ((network: string) => string);
  readonly caps?: Caps;
  /** Is shown what is going to be paid, within the caps; throws to prevent it. */
  readonly approve?: (offer: Offer) => void | Promise<void>;
  /** Where spending is written down; in memory unless told. */
  readonly ledger?: SpendingLedger;
}

const MICROS = 1e6;
const CAPS = { perCallUsd: 0.01, perBundleUsd: 0.05, perDayUsd: 1, inAllUsd: Number.POSITIVE_INFINITY };

/** Dollars in millionths: 0.57 times a million is a little less than what was meant. */
const microsOf = (usd: number): number => Math.round(usd * MICROS);

/** What a wallet or its RPC says, as the cause of an error of ours. */
function notMade(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause;
  const message = 'the payment could not be made, and nothing was sent; look at rpcUrl and the wallet';
  throw new GatewayError('payment_not_made', { message, cause });
}

/** Makes the payment as x402's own scheme does, and looks whether it is the one that was shown. */
async function makePayment(required: Payable, offer: Offer, signer: TransactionSigner, rpcUrl: string) {
  const { ExactSvmScheme } = await import('@x402/svm/exact/client');
  const { x402Version, resource, extensions, accepts } = required;
  const [accepted] = accepts;
  const scheme = new ExactSvmScheme(signer as never, { rpcUrl });
  const { payload } = await scheme.createPaymentPayload(x402Version, accepted as never).catch(notMade);
  const payment = { x402Version, payload, extensions, resource, accepted };
  await assertPays(payment, offer, signer.address);
  return { [HEADERS.payment]: btoa(JSON.stringify(payment)) };
}

/**
 * Makes the payment that a 402 asks for: the headers that buy the answer. What is signed is the offer that `offerIn` shows of this
 * 402, whatever else it asks for; throws when it would be anything more.
 */
export async function paymentFor(body: PaymentRequired, { wallet, rpcUrl }: Purse): Promise<Record<string, string>> {
  const [offer, required] = [offerIn(body), payableIn(body)];
  if (!offer || !required) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
  return makePayment(required, offer, await transactionSigner(wallet, offer.network), rpcUrl);
}

function assertWithin(micros: number, cap: number, what: string): void {
  if (micros <= microsOf(cap)) return;
  const message = `$${micros / MICROS} is asked for, above the cap of $${cap} ${what}; nothing was signed`;
  throw new GatewayError('spending_limit', { message });
}

/** Pays with a wallet, in USDC on Solana, and never more than its caps. */
export function payWith({ wallet, rpcUrl, caps, approve, ledger = memoryLedger() }: PayerOptions): Payer {
  const { perCallUsd, perBundleUsd, perDayUsd, inAllUsd } = { ...CAPS, ...caps };
  const urlOf = typeof rpcUrl === 'string' ? () => rpcUrl : rpcUrl;
  const sums = { perDayMicros: microsOf(perDayUsd), inAllMicros: microsOf(inAllUsd) };

  return {
    async pay(body: PaymentRequired, { request, buys, maxUsd, signal }: PaymentWish): Promise<SignedPayment> {
      const [offer, required] = [offerIn(body, buys), payableIn(body, buys)];
      if (!offer || !required) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
      const micros = Number(offer.amount);
      if (maxUsd !== undefined) assertWithin(micros, maxUsd, 'for this call');
      if (buys === 'call') assertWithin(micros, perCallUsd, 'a call');
      else assertWithin(micros, perBundleUsd, 'a bundle of credit');
      const id = await ledger.hold(micros, sums);
      try {
        await approve?.(offer);
        const signer = await transactionSigner(wallet, offer.network).catch(notMade);
        signal.throwIfAborted();
        const headers = await makePayment(required, offer, signer, urlOf(offer.network));
        signal.throwIfAborted();
        await ledger.signed(id, { micros, request, headers });
        return { headers, closed: (outcome) => ledger.closed(id, outcome) };
      } catch (error) {
        await ledger.release(id);
        throw error;
      }
    },
  };
}
