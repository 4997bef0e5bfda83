import { HEADERS, type PaymentRequired, USDC_DECIMALS } from '@asset-gateway/protocol';
import type { TransactionSigner } from '@solana/kit';
import { base64 } from './base64.ts';
import { latestBlockhash } from './blockhash.ts';
import { race } from './deadline.ts';
import { assertWithin, type Decision, decide, type Limits, limitsOf } from './decision.ts';
import { GatewayError } from './error.ts';
import { type Caps, type EarlierPayment, memoryLedger, type SpendingLedger } from './ledger.ts';
import { type Found, findOffer, type Offer } from './offer.ts';
import type { Payer, PaymentWish, SignedPayment } from './payer.ts';
import { type PayingWallet, transactionSigner } from './paying-wallet.ts';
import { assertPays, TOKEN } from './payment-check.ts';

export { type ListedRoute, listedMicros, listedRoute, routesIn } from './catalog.ts';
export { type Decision, decide, type Rules } from './decision.ts';
export {
  type Caps,
  type EarlierPayment,
  type LedgerEntry,
  memoryLedger,
  type SpendingLedger,
} from './ledger.ts';
export { type Offer, type OfferWish, offerIn } from './offer.ts';
export type { Payer, PaymentWish, SignedPayment } from './payer.ts';
export type { PayingWallet } from './paying-wallet.ts';
export { isSameRequest } from './sent-request.ts';
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
  /** Called with each offer within the caps before it is signed; throws to prevent it. */
  readonly approve?: (offer: Offer) => void | Promise<void>;
  /** Where spending is recorded; default: in memory. */
  readonly ledger?: SpendingLedger;
  /** Whether a gateway's memo may be signed; default: only the form of the asset gateway's own memos. */
  readonly allowMemo?: (memo: string) => boolean;
}

/** A payer that can also say what it would pay. */
export interface QuotingPayer extends Payer {
  /** What `pay` would decide on before caps and approval; throws what no approval may lift. Signs nothing. */
  quote(required: PaymentRequired, wish: PaymentWish): Promise<Decision>;
}

/** What a wallet or its RPC says, as the cause of an error of ours. */
function notMade(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause;
  const message = 'the payment could not be made, and nothing was sent; look at rpcUrl and the wallet';
  throw new GatewayError('payment_not_made', { message, cause });
}

/** Makes the payment as x402's own scheme does, and checks that it is the one that was shown. */
async function makePayment({ payable, offer }: Found, signer: TransactionSigner, rpcUrl: string, signal: AbortSignal) {
  const { ExactSvmScheme } = await import('@x402/svm/exact/client');
  const { x402Version, resource, extensions, accepts } = payable;
  const [accepted] = accepts as readonly [{ readonly extra: object }];
  const scheme = new ExactSvmScheme(signer as never, { rpcUrl });
  // The scheme asks an RPC for these without a limit of time or size.
  const { mintCache } = scheme as unknown as { readonly mintCache?: Map<string, Promise<object>> };
  const mint = { decimals: USDC_DECIMALS, programAddress: TOKEN };
  mintCache?.set(`${offer.network}:${offer.asset}`, Promise.resolve(mint));
  const recentBlockhash = await latestBlockhash(rpcUrl, signal);
  const requirement = { ...accepted, extra: { ...accepted.extra, recentBlockhash } };
  const { payload } = await scheme.createPaymentPayload(x402Version, requirement as never);
  const payment = { x402Version, payload, extensions, resource, accepted };
  await assertPays(payment, offer, signer.address);
  return { [HEADERS.payment]: base64(JSON.stringify(payment)) };
}

/**
 * Makes the payment that a 402 asks for: the headers that buy the answer. It signs the offer that `offerIn` shows of this 402 and
 * nothing else, and throws if the result would be anything more.
 */
export async function paymentFor(
  body: PaymentRequired,
  { wallet, rpcUrl }: Purse,
  signal: AbortSignal = new AbortController().signal,
): Promise<Record<string, string>> {
  const found = findOffer(body);
  if (!found) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
  const signer = await transactionSigner(wallet, found.offer.network).catch(notMade);
  return makePayment(found, signer, rpcUrl, signal).catch(notMade);
}

class WalletPayer implements QuotingPayer {
  readonly #options: PayerOptions;
  readonly #ledger: SpendingLedger;
  readonly #limits: Limits;
  readonly #inFlight = new Set<string>();
  /** Why the ledger could not record the outcome of the last payment. */
  #unrecorded: unknown;

  constructor(options: PayerOptions) {
    this.#options = options;
    this.#ledger = options.ledger ?? memoryLedger();
    this.#limits = limitsOf(options.caps);
  }

  quote(body: PaymentRequired, wish: PaymentWish): Promise<Decision> {
    const rules = { ledger: this.#ledger, inFlight: this.#inFlight, allowMemo: this.#options.allowMemo };
    return race(wish.signal, decide(body, wish, rules));
  }

  async pay(body: PaymentRequired, wish: PaymentWish): Promise<SignedPayment> {
    this.#assertRecorded();
    const decision = await this.quote(body, wish);
    if ('again' in decision) return this.#signedPayment(decision.again);
    const { request, signal, maxUsd } = wish;
    assertWithin(decision, this.#limits, maxUsd);
    const micros = Number(decision.offer.amount);
    const id = await this.#ledger.hold(micros, this.#limits);
    this.#inFlight.add(id);
    try {
      const headers = await race(signal, this.#headersFor(decision, signal));
      signal.throwIfAborted();
      await this.#ledger.signed(id, { micros, request, headers });
      // From here on another process may send it: it is never released.
      return this.#signedPayment({ id, micros, headers });
    } catch (error) {
      this.#inFlight.delete(id);
      // An amount that cannot be released stays counted.
      await this.#ledger.release(id).catch(() => undefined);
      throw error;
    }
  }

  async #headersFor(found: Found, signal: AbortSignal): Promise<Record<string, string>> {
    const { approve, wallet, rpcUrl } = this.#options;
    await approve?.(found.offer);
    const signer = await transactionSigner(wallet, found.offer.network).catch(notMade);
    signal.throwIfAborted();
    const url = typeof rpcUrl === 'string' ? rpcUrl : rpcUrl(found.offer.network);
    return makePayment(found, signer, url, signal).catch(notMade);
  }

  #signedPayment({ id, micros, headers }: Pick<EarlierPayment, 'id' | 'micros' | 'headers'>): SignedPayment {
    const closed = async (outcome: 'paid' | 'refused'): Promise<void> => {
      try {
        await this.#ledger.closed(id, outcome);
      } catch (error) {
        this.#unrecorded = error;
        throw error;
      }
    };
    return { micros, headers, closed, ended: () => void this.#inFlight.delete(id) };
  }

  #assertRecorded(): void {
    const cause = this.#unrecorded;
    this.#unrecorded = undefined;
    if (cause === undefined) return;
    const message =
      'the ledger could not record what became of the payment before this one; look at it, then ask again';
    throw new GatewayError('payment_not_made', { message, cause });
  }
}

/** Pays with a wallet, in USDC on Solana, and never more than its caps. Throws `spending_limit` for a cap that is no number. */
export const payWith = (options: PayerOptions): QuotingPayer => new WalletPayer(options);
