import { createClient, type Full, type Payer } from '@asset-gateway/client';
import type { Offer } from '@asset-gateway/client/pay';
import { createTools, type Tool } from '@asset-gateway/client/tools';
import type { Cluster } from '@asset-gateway/protocol';
import { approvedPayer, type Budget, budgetPayer, type Purse, quotingPayer, Unpaid } from './payers.ts';

/** What is called, and with what money. */
export interface CallsOptions {
  readonly gateway: string;
  readonly cluster: Cluster;
  /** The user's wallet, which signs in as well. Without one a key that is thrown away signs in, and nothing is paid. */
  readonly purse?: Purse;
  readonly budget: Budget;
}

/** One call of a method. */
export interface MethodCall {
  readonly tool: string;
  readonly input: unknown;
  readonly signal?: AbortSignal;
  /** What somebody has agreed to pay for it. */
  readonly approved?: Offer | undefined;
}

type Tools = ReadonlyMap<string, Tool>;

/** The methods of a gateway, called within a budget. Credit is left alone, so that all that is spent stands in the ledger. */
export class Calls {
  readonly options: CallsOptions;
  readonly methods: readonly Tool[];
  readonly #within: Tools;
  #quoting: Tools | undefined;

  constructor(options: CallsOptions) {
    this.options = options;
    const { purse, budget } = options;
    this.#within = this.#toolsWith(purse ? budgetPayer(purse, budget) : quotingPayer);
    this.methods = [...this.#within.values()];
  }

  /** Calls a method. Throws `Unpaid` where it has to be paid for beyond the budget; nothing was signed then. */
  async call({ tool, input, signal, approved }: MethodCall): Promise<Full<unknown>> {
    const { purse } = this.options;
    // Somebody has been waited for: what it costs to make a client does not count.
    const tools = purse && approved ? this.#toolsWith(approvedPayer(purse, approved)) : this.#within;
    return find(tools, tool).full(input, { signal });
  }

  /** What the gateway asks for a call, without signing anything; nothing where it is free. */
  async quote({ tool, input, signal }: MethodCall): Promise<Offer | undefined> {
    this.#quoting ??= this.#toolsWith(quotingPayer);
    try {
      await find(this.#quoting, tool).full(input, { signal });
      return undefined;
    } catch (error) {
      if (error instanceof Unpaid) return error.offer;
      throw error;
    }
  }

  #toolsWith(pay: Payer): Tools {
    const { gateway, cluster, purse } = this.options;
    const client = createClient({
      baseUrl: gateway,
      credit: false,
      pay,
      ...(purse && { signer: purse.wallet.signer }),
    });
    return new Map(createTools(client, { cluster }).map((tool) => [tool.name, tool]));
  }
}

function find(tools: Tools, name: string): Tool {
  const tool = tools.get(name);
  if (!tool) throw new Error(`there is no method ${name}`);
  return tool;
}
