/**
 * Payments in USDC within caps. Begin with {@link payWith}; the other functions are for programs that check offers, catalogs and
 * payments themselves. Paying needs `@solana/kit` and `@x402/svm`.
 * @packageDocumentation
 */
import type { PaymentRequired } from '@asset-gateway/protocol/wire';
import type { TransactionSigner } from '@solana/kit';
import { type RpcAccess, usdcOf } from './chain.ts';
import { race } from './deadline.ts';
import { assertFunded, assertWithin, type Decision, decide, type Limits, limitsOf } from './decision.ts';
import { GatewayError } from './error.ts';
import { type Fate, fateOf } from './fate.ts';
import { type Caps, type EarlierPayment, memoryLedger, type SpendingLedger } from './ledger.ts';
import { type MadePayment, makePayment, notMade } from './make-payment.ts';
import { findOffer, type Offer, type PayableOffer } from './offer.ts';
import { type PayingWallet, transactionSigner } from './paying-wallet.ts';
import type { Payer, PaymentWish, SignedPayment } from './settings.ts';

export { settlementIn, transactionIn } from './call.ts';
export { isVerb, type ListedRoute, listedMicros, listedRoute, providersIn, routesIn } from './catalog.ts';
export { balancesOf, type RpcAccess, RpcError } from './chain.ts';
export { type Decision, type DecisionOptions, decide } from './decision.ts';
export { type AccessTo, type Fate, fateOf } from './fate.ts';
export {
  type Caps,
  type EarlierPayment,
  type LedgerEntry,
  memoryLedger,
  type PaymentTrace,
  type SpendingLedger,
} from './ledger.ts';
export { findOffer, type Offer, type OfferWish, offerIn, type Payable, type PayableOffer } from './offer.ts';
export type { PayingWallet } from './paying-wallet.ts';
export { isSameRequest } from './sent-request.ts';
export type { Payer, PaymentWish, SignedPayment } from './settings.ts';

/** A wallet, and the RPC for its payments. */
export interface WalletWithRpc {
  /** The wallet that pays. */
  readonly wallet: PayingWallet;
  /** A Solana RPC of the cluster to pay on, for a fresh blockhash. */
  readonly rpcUrl: string;
}

/** Options of `payWith`. */
export interface PayerOptions {
  /** The wallet that pays. */
  readonly wallet: PayingWallet;
  /**
   * The RPC for balances, fresh blockhashes and the fate of refused payments: one URL, or a function from the network (CAIP-2). Use an RPC
   * of your own, because a gateway's RPC could hide that it settles payments which it refused.
   */
  readonly rpcUrl: string | ((network: string) => string);
  /** The spending limits. */
  readonly caps?: Caps;
  /** Called with each offer within the caps before it is signed. Throw to refuse the offer. */
  readonly approve?: (offer: Offer) => void | Promise<void>;
  /** The record of spending; default: in memory. */
  readonly ledger?: SpendingLedger;
  /** Whether the client may sign a memo; default: only memos in the gateway's own form. */
  readonly allowMemo?: (memo: string) => boolean;
}

/** A payer that can also quote without signing. */
export interface QuotingPayer extends Payer {
  /**
   * Returns how `pay` would pay a 402, before it checks caps and approval. Signs nothing.
   * @param required the body of the 402
   * @param wish what the payment would buy, and its limits
   * @throws GatewayError if nothing may be paid, or `insufficient_funds` if the wallet holds too little
   */
  quote(required: PaymentRequired, wish: PaymentWish): Promise<Decision>;
}

/**
 * Signs the payment for a 402 without caps, ledger and catalog, for programs that check the offer themselves. It signs the offer that
 * `offerIn` returns for this 402.
 * @param body the body of the 402
 * @param purse the wallet, and an RPC for a fresh blockhash
 * @param signal aborts the reads of the RPC
 * @returns the headers that pay
 * @throws GatewayError `nothing_payable`, `payment_not_made` if RPC or wallet fail, `payment_mismatch` if the wallet signed something
 * else; nothing was sent
 */
export async function paymentFor(
  body: PaymentRequired,
  { wallet, rpcUrl }: WalletWithRpc,
  signal: AbortSignal = new AbortController().signal,
): Promise<Record<string, string>> {
  const found = findOffer(body);
  if (!found) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
  const signer = await transactionSigner(wallet, found.offer.network).catch(notMade);
  return (await makePayment(found, signer, { rpcUrl, signal }).catch(notMade)).headers;
}

/** How long a payment waits for the balance. */
const BALANCE_TIMEOUT_MS = 5_000;
/** How many earlier payments to look up if the caps leave no room. */
const MAX_LOOKED_UP = 20;

class WalletPayer implements QuotingPayer {
  readonly #options: PayerOptions;
  readonly #ledger: SpendingLedger;
  readonly #limits: Limits;
  readonly #inFlight = new Set<string>();
  /** When this process signed each payment, on a clock that cannot be set. */
  readonly #signedAt = new Map<string, number>();
  /** The ledger's error when it recorded the last payment's outcome. */
  #unrecorded: unknown;

  constructor(options: PayerOptions) {
    this.#options = options;
    this.#ledger = options.ledger ?? memoryLedger();
    this.#limits = limitsOf(options.caps);
  }

  quote(body: PaymentRequired, wish: PaymentWish): Promise<Decision> {
    const decided = async (): Promise<Decision> => {
      const decision = await this.#decide(body, wish);
      if (!('again' in decision)) await this.#fundedSigner(decision, wish.signal);
      return decision;
    };
    return race(wish.signal, decided());
  }

  async pay(body: PaymentRequired, wish: PaymentWish): Promise<SignedPayment> {
    this.#assertRecorded();
    const { request, signal, maxUsd } = wish;
    const decision = await race(signal, this.#decide(body, wish));
    if ('again' in decision) return this.#signedPayment(decision.again);
    assertWithin(decision, this.#limits, maxUsd);
    const signer = await race(signal, this.#fundedSigner(decision, signal));
    const micros = Number(decision.offer.amount);
    const id = await this.#hold(micros, signal);
    this.#inFlight.add(id);
    try {
      const made = await race(signal, this.#approveAndMake(decision, signer, signal));
      this.#signedAt.set(id, performance.now());
      await this.#ledger.signed(id, { micros, request, ...made });
      // From here on another process may send the payment. So its amount is released only when the payment can no longer settle.
      return this.#signedPayment({ id, micros, headers: made.headers });
    } catch (error) {
      this.#inFlight.delete(id);
      // An amount that cannot be released stays counted.
      await this.#ledger.release(id).catch(() => undefined);
      throw error;
    }
  }

  #rpcAccess(network: string, signal: AbortSignal): RpcAccess {
    const { rpcUrl } = this.#options;
    return { rpcUrl: typeof rpcUrl === 'string' ? rpcUrl : rpcUrl(network), signal };
  }

  #fateOf(payment: EarlierPayment, signal: AbortSignal): Promise<Fate> {
    const signedAt = this.#signedAt.get(payment.id);
    const ageMs = signedAt === undefined ? undefined : performance.now() - signedAt;
    return fateOf(payment, (network) => this.#rpcAccess(network, signal), ageMs);
  }

  #decide(body: PaymentRequired, wish: PaymentWish): Promise<Decision> {
    const fate = (payment: EarlierPayment) => this.#fateOf(payment, wish.signal);
    const { allowMemo } = this.#options;
    return decide(body, wish, { ledger: this.#ledger, inFlight: this.#inFlight, allowMemo, fateOf: fate });
  }

  /** Returns the wallet's signer. Throws `insufficient_funds` if the wallet holds too little. */
  async #fundedSigner(found: PayableOffer, signal: AbortSignal): Promise<TransactionSigner> {
    const { network } = found.offer;
    // Without an RPC, throws before the wallet is asked.
    const { rpcUrl } = this.#rpcAccess(network, signal);
    const signer = await transactionSigner(this.#options.wallet, network).catch(notMade);
    const access = { rpcUrl, signal: AbortSignal.any([signal, AbortSignal.timeout(BALANCE_TIMEOUT_MS)]) };
    await assertFunded(found, signer.address, usdcOf(access, signer.address, network));
    return signer;
  }

  /** Reserves an amount. If the caps leave no room, first frees payments that never settled and never will. */
  async #hold(micros: number, signal: AbortSignal): Promise<string> {
    try {
      return await this.#ledger.hold(micros, this.#limits);
    } catch (error) {
      const isFull = error instanceof GatewayError && error.code === 'spending_limit';
      if (!isFull || !(await this.#releaseExpired(signal))) throw error;
      return this.#ledger.hold(micros, this.#limits);
    }
  }

  /** Frees the newest expired payments. Returns whether there was one. */
  async #releaseExpired(signal: AbortSignal): Promise<boolean> {
    const earlier = (await this.#ledger.earlier()).filter(({ id }) => !this.#inFlight.has(id));
    let isFreed = false;
    for (const payment of earlier.slice(0, MAX_LOOKED_UP)) {
      if ((await race(signal, this.#fateOf(payment, signal))) !== 'expired') continue;
      await this.#ledger.release(payment.id);
      isFreed = true;
    }
    return isFreed;
  }

  async #approveAndMake(found: PayableOffer, signer: TransactionSigner, signal: AbortSignal): Promise<MadePayment> {
    await this.#options.approve?.(found.offer);
    signal.throwIfAborted();
    return makePayment(found, signer, this.#rpcAccess(found.offer.network, signal)).catch(notMade);
  }

  #signedPayment({ id, micros, headers }: Pick<EarlierPayment, 'id' | 'micros' | 'headers'>): SignedPayment {
    const closed = async (outcome: 'paid' | 'refused'): Promise<void> => {
      try {
        await this.#ledger.closed(id, outcome);
        if (outcome === 'paid') this.#signedAt.delete(id);
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
    const message = 'the ledger could not record the outcome of the previous payment; check it, then try again';
    throw new GatewayError('payment_not_made', { message, cause });
  }
}

/**
 * Makes a payer for `createClient`: it pays from a wallet in USDC on Solana, within its caps.
 * @param options the wallet, its RPC and its caps
 * @throws GatewayError `spending_limit` for a cap that is not a number of dollars
 * @example
 * const pay = payWith({ wallet: keypairFromFile(path), rpcUrl, caps: { perCallUsd: 0.005, perDayUsd: 0.01 } });
 * const client = createClient({ baseUrl, signer: signerFromFile(path), pay });
 */
export const payWith = (options: PayerOptions): QuotingPayer => new WalletPayer(options);
