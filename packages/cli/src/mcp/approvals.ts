import { randomUUID } from 'node:crypto';
import type { Offer } from '@asset-gateway/client/pay';
import type { Tool } from '@asset-gateway/client/tools';
import { dollars, dollarText, harmless, SHARED_TIMES } from '@asset-gateway/protocol';
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { offerInWords, Unpaid } from '../money/command-payer.ts';
import { fittingResult, type StoredAnswers, toolError, toolErrorFor } from './answer.ts';
import { callForClient, clientPays } from './by-client.ts';
import { type Calls, MAX_ASKED_MICROS, type Purchase } from './calls.ts';
import type { ToolContext } from './served-tool.ts';

const MAX_PENDING = 100;

const callKeyOf = (tool: string, input: unknown): string => JSON.stringify([tool, input]);

/** Stores open questions to the user: at most a hundred, each for ten minutes. An answer is valid once, for the same call. */
export class Approvals {
  readonly #pending: LRUCache<string, { readonly key: string; readonly offer: Offer }>;

  constructor(now: () => number = Date.now) {
    this.#pending = new LRUCache({ max: MAX_PENDING, ttl: SHARED_TIMES.answerMs, ttlResolution: 0, perf: { now } });
  }

  /** Stores a question about a call. Returns its id, which cannot be guessed. */
  ask(tool: string, input: unknown, offer: Offer): string {
    const id = randomUUID();
    this.#pending.set(id, { key: callKeyOf(tool, input), offer });
    return id;
  }

  /** Takes the offer of a question about this call, which counts as answered then. Undefined if there is none. */
  redeem(id: unknown, tool: string, input: unknown): Offer | undefined {
    const found = this.#pending.peek(String(id));
    this.#pending.delete(String(id));
    return found?.key === callKeyOf(tool, input) ? found.offer : undefined;
  }
}

/** What all calls of a server share. */
export interface CallServices {
  readonly calls: Calls;
  readonly approvals: Approvals;
  readonly stored: StoredAnswers;
}

const SHOWN_INPUT = 300;
const QUESTION = 'pay';

const NO_WALLET =
  'this server has no wallet. Nothing was paid. Run `asset-gateway-client wallet new` (in a clone `npm run ask -- wallet new`) or name one with --keypair, and start the server over stdio (with --budget-usd 0.05 to pay without asking)';
const CANNOT_ASK =
  'exceeds the budget, and this host cannot ask its user. Nothing was paid. Start the server with a larger --budget-usd or --max-call';
/** The budget to suggest, beyond what the wallet has spent. */
const SUGGESTED_MICROS = 50_000;

/** Asks the user through the host. Returns the reason if that is impossible. */
async function ask(
  { calls, approvals }: CallServices,
  tool: string,
  input: unknown,
  { offer, canAsk }: { offer: Offer; canAsk: boolean },
) {
  const { gateway, payer, budget } = calls.options;
  const micros = Number(offer.amount);
  const price = dollarText(micros);
  if (!payer) return toolError(`${tool} costs ${price}, and ${NO_WALLET}.`);
  const spentMicros = payer.ledger.spending().dayMicros;
  if (!canAsk) {
    const enough = dollars(spentMicros + Math.max(micros, SUGGESTED_MICROS));
    return toolError(`${tool} costs ${price}, which ${CANNOT_ASK}, such as --budget-usd ${enough}.`);
  }
  if (micros > MAX_ASKED_MICROS) {
    return toolError(`${tool} costs ${price}, more than this server pays for a call. Nothing was paid.`);
  }
  const text = harmless(JSON.stringify(input) ?? '');
  const shown = text.length > SHOWN_INPUT ? `${text.slice(0, SHOWN_INPUT)}…` : text;
  const message =
    `Pay ${await offerInWords(offer, { gateway, rpc: payer.rpc })} for ${tool}? ` +
    `${dollarText(spentMicros)} of the budget of $${budget.perDayUsd} a day are spent. Input: ${shown}`;
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } }),
    },
    requestState: approvals.ask(tool, input, offer),
  });
}

/** Calls a method. The client pays, or this server pays: within the budget, or the price to which the user has just agreed. */
export async function callMethod(
  services: CallServices,
  method: Tool,
  input: unknown,
  context: ToolContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (clientPays(services, context)) return callForClient(services, method, input, context);
  const { canAsk, request } = context;
  const reply = inputResponse(request.inputResponses, QUESTION);
  const isRefused = reply.kind === 'elicit' && reply.action !== 'accept';
  const tool = method.name;
  const agreed = services.approvals.redeem(request.requestState(), tool, input);
  if (isRefused) return toolError(`The user declined to pay for ${tool}. Nothing was paid.`);
  const purchase: Purchase = { approved: reply.kind === 'elicit' ? agreed : undefined };
  try {
    return fittingResult(await services.calls.call(method, input, request.signal, purchase), services.stored, purchase);
  } catch (error) {
    if (error instanceof Unpaid) return ask(services, tool, input, { offer: error.offer, canAsk });
    return toolErrorFor(error, services, purchase);
  }
}
