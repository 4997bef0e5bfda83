import { AsyncLocalStorage } from 'node:async_hooks';
import { createClient, type Full, GatewayError, type Payer } from '@asset-gateway/client';
import { type Offer, offerIn, type QuotingPayer } from '@asset-gateway/client/pay';
import { createTools, type Tool } from '@asset-gateway/client/tools';
import type { Cluster } from '@asset-gateway/protocol';
import { cacheFolder } from '../config.ts';
import type { Peers } from '../failure.ts';
import { catalogOf } from '../money/catalog.ts';
import { type Outcome, type Paying, payerFor, quotingPayer, Unpaid, watched } from '../money/paying.ts';

/** What this server pays with. */
export type Purse = Omit<Paying, 'caps' | 'isTold'>;

/** What is spent without asking. */
export interface Budget {
  readonly perCallUsd: number;
  readonly perDayUsd: number;
}

/** What is called, and with what money. */
export interface CallsOptions {
  readonly gateway: string;
  readonly cluster: Cluster;
  /** The user's wallet, which signs in as well. Without one a temporary key signs in, and nothing is paid. */
  readonly purse?: Purse;
  readonly budget: Budget;
  /** How long a call may take, in milliseconds; default: 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** The payment of one call. */
export interface Purchase {
  /** The offer that the user agreed to. */
  readonly approved?: Offer | undefined;
  /** Nothing is paid: the call only shows its price. */
  readonly isQuote?: boolean;
  /** Set once a payment for the call is signed. */
  outcome?: Outcome;
}

/** One call of a method. */
export interface MethodCall {
  readonly tool: string;
  readonly input: unknown;
  readonly signal?: AbortSignal;
}

/** Whether two offers move the same money: a gateway issues a new memo with each offer. */
const isSame = (one: Offer, other: Offer): boolean =>
  (['network', 'asset', 'payTo', 'amount'] as const).every((name) => one[name] === other[name]);

const isLimit = (error: unknown): boolean => error instanceof GatewayError && error.code === 'spending_limit';

/** The methods of a gateway, called within a budget. Credit is left alone, so the ledger has everything that is spent. */
export class Calls {
  readonly options: CallsOptions;
  readonly methods: readonly Tool[];
  readonly #current = new AsyncLocalStorage<Purchase>();
  readonly #budget: QuotingPayer | undefined;

  constructor(options: CallsOptions) {
    this.options = options;
    const { gateway, cluster, purse, budget, timeoutMs } = options;
    this.#budget = purse && payerFor({ ...purse, caps: budget, isTold: true });
    const client = createClient({
      timeoutMs,
      baseUrl: gateway,
      credit: false,
      pay: { pay: (required, wish) => this.#pay(required, wish) },
      catalog: async (signal) => ({ routes: await catalogOf(gateway, cacheFolder(), signal) }),
      ...(purse && { signer: purse.wallet.signer }),
    });
    this.methods = createTools(client, { cluster });
  }

  /** The gateway and the RPC, as messages name them. */
  get peers(): Peers {
    const { gateway, purse } = this.options;
    return { gateway, rpc: purse?.rpc };
  }

  /** Calls a method. Throws `Unpaid` if its price is beyond the budget and the user has not agreed to it; nothing was signed then. */
  async call({ tool: name, input, signal }: MethodCall, purchase: Purchase): Promise<Full<unknown>> {
    const tool = this.methods.find((each) => each.name === name);
    if (!tool) throw new Error(`there is no method ${name}`);
    return this.#current.run(purchase, () => tool.full(input, { signal }));
  }

  /** What the gateway asks for a call, without signing anything; undefined if the call is free. */
  async quote(call: MethodCall): Promise<Offer | undefined> {
    try {
      await this.call(call, { isQuote: true });
      return undefined;
    } catch (error) {
      if (error instanceof Unpaid) return error.offer;
      throw error;
    }
  }

  async #pay(...asked: Parameters<Payer['pay']>): ReturnType<Payer['pay']> {
    const purchase: Purchase = this.#current.getStore() ?? { isQuote: true };
    const { approved, isQuote } = purchase;
    const budget = isQuote ? undefined : this.#budget;
    if (!budget) return quotingPayer.pay(...asked);
    const payment = await (approved ? this.#payApproved(approved, asked) : payWithin(budget, asked));
    return watched(payment, (outcome) => {
      purchase.outcome = outcome;
    });
  }

  /** Pays the offer that the user agreed to, and no other. It counts against the budget. */
  async #payApproved(approved: Offer, asked: Parameters<Payer['pay']>): ReturnType<Payer['pay']> {
    const offer = offerIn(...asked);
    if (offer && !isSame(offer, approved)) throw new Unpaid(offer);
    const caps = { perCallUsd: Number(approved.amount) / 1e6, perDayUsd: Number.MAX_SAFE_INTEGER / 1e6 };
    return payerFor({ ...(this.options.purse as Purse), caps, isTold: true }).pay(...asked);
  }
}

/** Pays within the budget without asking, and beyond it throws the offer for the user to decide on. */
async function payWithin(budget: QuotingPayer, asked: Parameters<Payer['pay']>): ReturnType<Payer['pay']> {
  try {
    return await budget.pay(...asked);
  } catch (error) {
    if (!isLimit(error)) throw error;
    // The user is not asked about a payment that would be refused after the yes.
    const decision = await budget.quote(...asked);
    if ('again' in decision) throw error;
    throw new Unpaid(decision.offer);
  }
}
