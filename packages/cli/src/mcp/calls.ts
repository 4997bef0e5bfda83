import { AsyncLocalStorage } from 'node:async_hooks';
import { createClient, type Full, GatewayError, type Payer, type SignedPayment } from '@asset-gateway/client';
import type { ListedRoute, Offer, QuotingPayer } from '@asset-gateway/client/pay';
import { createTools, type Tool } from '@asset-gateway/client/tools';
import { type Cluster, HEADERS, MICROS_PER_USD, type PaymentRequired } from '@asset-gateway/protocol';
import type { Servers } from '../failure.ts';
import { catalogOf } from '../money/catalog.ts';
import {
  answerOrOffer,
  type Outcome,
  offerFor,
  type PaymentSetup,
  payerFor,
  quotingPayer,
  Unpaid,
  withOutcome,
} from '../money/command-payer.ts';

/** The wallet and ledger with which this server pays. */
type PayerSetup = Omit<PaymentSetup, 'caps' | 'isPreapproved'>;

/** Whose wallet pays for a call: the MCP client's or this server's. */
export const PAY_BY = ['client', 'server'] as const;
type PayBy = (typeof PAY_BY)[number];

/** The gateway, wallet and budget of the calls. */
export interface CallsOptions {
  readonly gateway: string;
  readonly cluster: Cluster;
  /** The gateway's catalog. Its APIs become tools too. */
  readonly listed?: readonly ListedRoute[];
  /** The user's wallet, which also signs in. Without it, a temporary key signs in, and this server pays nothing. */
  readonly payer?: PayerSetup;
  /**
   * Which wallet pays. By default the client's wallet pays if the client says that it can pay, or if there is no `payer`; otherwise the
   * wallet of `payer` pays.
   */
  readonly payBy?: PayBy | undefined;
  /** The limits of payments without asking, in dollars. */
  readonly budget: { readonly perCallUsd: number; readonly perDayUsd: number };
  /** The time limit of a call in milliseconds; default: 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** The payment of one call. */
export interface Purchase {
  /** The offer that the user agreed to. */
  readonly approved?: Offer | undefined;
  /** Whether the call only learns its price and pays nothing. */
  readonly isQuote?: boolean;
  /** The client's payment, unchanged. It is passed on, and this server's wallet pays nothing. */
  readonly given?: unknown;
  /** The 402 that a client's payment answers; set once the payment is passed on. */
  required?: PaymentRequired | undefined;
  /** The outcome of the call's payment; set once the payment is signed. */
  outcome?: Outcome | undefined;
}

/** Whether two offers make the same transfer. Their memos differ. */
const isSameTransfer = (one: Offer, other: Offer): boolean =>
  (['network', 'asset', 'payTo', 'amount'] as const).every((name) => one[name] === other[name]);

/** Calls a gateway's methods within a budget. Never uses credit, so the ledger records all spending. */
export class Calls {
  readonly options: CallsOptions;
  readonly methods: readonly Tool[];
  readonly #current = new AsyncLocalStorage<Purchase>();
  readonly #budget: QuotingPayer | undefined;

  constructor(options: CallsOptions) {
    this.options = options;
    const { gateway, cluster, listed = [], payer, budget, timeoutMs } = options;
    this.#budget = payer && payerFor({ ...payer, caps: budget, isPreapproved: true });
    const client = createClient({
      timeoutMs,
      baseUrl: gateway,
      credit: false,
      pay: { pay: (required, wish) => this.#pay(required, wish) },
      catalog: async (signal, provider) => ({ routes: await catalogOf(gateway, { provider, signal }) }),
      ...(payer && { signer: payer.wallet.signer }),
    });
    this.methods = createTools(client, { cluster, listed });
  }

  /** Returns the gateway and the RPC, for messages. */
  get peers(): Servers {
    const { gateway, payer } = this.options;
    return { gateway, rpc: payer?.rpc };
  }

  /** Calls a method. If the price exceeds the budget and the user has not agreed to it, throws `Unpaid` and signs nothing. */
  call(method: Tool, input: unknown, signal: AbortSignal, purchase: Purchase): Promise<Full<unknown>> {
    return this.#current.run(purchase, () => method.full(input, { signal }));
  }

  /** Returns the offer for a call, without signing; undefined if the call is free. */
  async quote(method: Tool, input: unknown, signal: AbortSignal): Promise<Offer | undefined> {
    const answered = await answerOrOffer(this.call(method, input, signal, { isQuote: true }));
    return 'payTo' in answered ? answered : undefined;
  }

  async #pay(...request: Parameters<Payer['pay']>): ReturnType<Payer['pay']> {
    const purchase: Purchase = this.#current.getStore() ?? { isQuote: true };
    const { approved, isQuote } = purchase;
    if (purchase.given !== undefined) return withOutcome(clientPayment(purchase, request), purchase);
    const budget = isQuote ? undefined : this.#budget;
    if (!budget) return quotingPayer.pay(...request);
    const payment = await (approved ? this.#payApproved(approved, request) : payWithin(budget, request));
    return withOutcome(payment, purchase);
  }

  /** Pays exactly the offer that the user agreed to. It counts against the budget. */
  async #payApproved(approved: Offer, request: Parameters<Payer['pay']>): ReturnType<Payer['pay']> {
    const found = offerFor(...request);
    if (!isSameTransfer(found.offer, approved)) throw new Unpaid(found);
    const caps = {
      perCallUsd: Number(approved.amount) / MICROS_PER_USD,
      perDayUsd: Number.MAX_SAFE_INTEGER / MICROS_PER_USD,
    };
    return payerFor({ ...(this.options.payer as PayerSetup), caps, isPreapproved: true }).pay(...request);
  }
}

/** The longest payment. The gateway accepts headers of 16 KiB, and a payment takes about 2. */
const MAX_PAYMENT = 8_192;

/** Returns the client's payment as a request header. The gateway checks it, and that it pays for this request. */
function clientPayment(purchase: Purchase, request: Parameters<Payer['pay']>): SignedPayment {
  const found = offerFor(...request);
  purchase.required = found.payable;
  const payment = Buffer.from(JSON.stringify(purchase.given)).toString('base64');
  if (payment.length > MAX_PAYMENT) {
    throw new Unpaid({ ...found, payable: { ...found.payable, error: 'payment_malformed' } });
  }
  return { micros: Number(found.offer.amount), headers: { [HEADERS.payment]: payment } };
}

/** The most that this server asks the user to pay for a call. Real prices are below a thousandth of this. */
export const MAX_ASKED_MICROS = 1_000_000;

/** Pays within the budget. Beyond it, throws `Unpaid` so that the user can decide. */
async function payWithin(budget: QuotingPayer, request: Parameters<Payer['pay']>): ReturnType<Payer['pay']> {
  try {
    return await budget.pay(...request);
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === 'spending_limit')) throw error;
    // Do not ask the user about a payment that would be refused, or that costs more than a call may.
    const decision = await budget.quote(...request).catch((reason: unknown) => {
      const isTooMuch = reason instanceof GatewayError && Number(reason.funds?.neededMicros) > MAX_ASKED_MICROS;
      throw isTooMuch ? error : reason;
    });
    if ('again' in decision) throw error;
    throw new Unpaid(decision);
  }
}
