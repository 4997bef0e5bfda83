import { below, HEADERS, oneLine, type PaymentRequired, readBytes, USDC_DECIMALS } from '@asset-gateway/protocol/wire';
import type { TransactionSigner } from '@solana/kit';
import { race } from './deadline.ts';
import {
  assertWithin,
  type Decision,
  decide,
  findOffer,
  type Limits,
  limitsOf,
  type Offer,
  type PayableOffer,
} from './decision.ts';
import { GatewayError } from './error.ts';
import { type Caps, type EarlierPayment, memoryLedger, type SpendingLedger } from './ledger.ts';
import { type PayingWallet, transactionSigner } from './paying-wallet.ts';
import { assertPays, TOKEN } from './payment-check.ts';
import type { Payer, PaymentWish, SignedPayment } from './settings.ts';
import { base64 } from './signer.ts';

export { transactionIn } from './call.ts';
export { type ListedRoute, listedMicros, listedRoute, routesIn } from './catalog.ts';
export { type Decision, decide, type Offer, type OfferWish, offerIn, type Rules } from './decision.ts';
export {
  type Caps,
  type EarlierPayment,
  type LedgerEntry,
  memoryLedger,
  type SpendingLedger,
} from './ledger.ts';
export type { PayingWallet } from './paying-wallet.ts';
export { isSameRequest } from './sent-request.ts';
export type { Payer, PaymentWish, SignedPayment } from './settings.ts';

/** A wallet and the RPC that it pays through. */
export interface Purse {
  /** The 64 bytes of a key pair, a key pair of WebCrypto, a signer of `@solana/kit`, or a Wallet Standard wallet. */
  readonly wallet: PayingWallet;
  /** A Solana RPC of the paying cluster, for a fresh blockhash. */
  readonly rpcUrl: string;
}

/** Options of `payWith`. */
export interface PayerOptions {
  readonly wallet: PayingWallet;
  /** The RPC for a fresh blockhash: one URL, or one for each network (CAIP-2). */
  readonly rpcUrl: string | ((network: string) => string);
  readonly caps?: Caps;
  /** Called with each offer within the caps before it is signed. Throw to refuse it. */
  readonly approve?: (offer: Offer) => void | Promise<void>;
  /** Where spending is recorded; default: in memory. */
  readonly ledger?: SpendingLedger;
  /** Whether a memo may be signed; default: only memos in the gateway's own form. */
  readonly allowMemo?: (memo: string) => boolean;
}

/** A payer that can also quote without signing. */
export interface QuotingPayer extends Payer {
  /** The decision of `pay` before caps and approval. Throws if nothing may be paid. */
  quote(required: PaymentRequired, wish: PaymentWish): Promise<Decision>;
}

/** Wraps an error of the wallet or its RPC. */
function notMade(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause;
  const message = 'the payment could not be made, and nothing was sent; check rpcUrl and the wallet';
  throw new GatewayError('payment_not_made', { message, cause });
}

const RPC_TIMEOUT_MS = 10_000;
const MAX_RPC_BYTES = 65_536;
const BLOCKHASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const BLOCKHASH_REQUEST = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'getLatestBlockhash',
  params: [{ commitment: 'confirmed' }],
});

/** The latest blockhash, with limits on time and size that x402's scheme does not have. */
async function latestBlockhash(rpcUrl: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: BLOCKHASH_REQUEST,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(RPC_TIMEOUT_MS)]),
  });
  const text = new TextDecoder().decode(await readBytes(response.body, MAX_RPC_BYTES));
  const answer: unknown = JSON.parse(text);
  const blockhash = below(answer, 'result', 'value', 'blockhash');
  if (typeof blockhash === 'string' && BLOCKHASH.test(blockhash)) return blockhash;
  const reason = oneLine(below(answer, 'error', 'message'), 200);
  throw new Error(reason || `the RPC answers ${response.status} without a blockhash`);
}

/** Makes the payment by x402's own scheme and checks that it pays the offer. */
async function makePayment(
  { payable, offer }: PayableOffer,
  signer: TransactionSigner,
  rpcUrl: string,
  signal: AbortSignal,
) {
  const { ExactSvmScheme } = await import('@x402/svm/exact/client');
  const { x402Version, resource, extensions, accepts } = payable;
  const [accepted] = accepts as readonly [{ readonly extra: object }];
  const scheme = new ExactSvmScheme(signer as never, { rpcUrl });
  // The scheme would fetch these from the RPC without limits.
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
 * The headers that pay a 402. Signs exactly the offer that `offerIn` returns for this 402, and throws if the payment would do anything
 * else.
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
  /** The ledger's error for the outcome of the last payment. */
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
      await this.#ledger.signed(id, { micros, request, headers });
      // From here on another process may send the payment, so it is never released.
      return this.#signedPayment({ id, micros, headers });
    } catch (error) {
      this.#inFlight.delete(id);
      // An amount that cannot be released stays counted.
      await this.#ledger.release(id).catch(() => undefined);
      throw error;
    }
  }

  async #headersFor(found: PayableOffer, signal: AbortSignal): Promise<Record<string, string>> {
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
    const message = 'the ledger could not record the outcome of the previous payment; check it, then try again';
    throw new GatewayError('payment_not_made', { message, cause });
  }
}

/** Pays from a wallet in USDC on Solana, within its caps. Throws `spending_limit` for a cap that is not a number. */
export const payWith = (options: PayerOptions): QuotingPayer => new WalletPayer(options);
