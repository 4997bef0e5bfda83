import { dollars, harmless, NETWORKS } from '@asset-gateway/protocol';
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { Unpaid } from '../money/paying.ts';
import { answerOf, failureOf, refusalOf } from './answer.ts';
import type { Approvals } from './approvals.ts';
import type { Calls, Purchase } from './calls.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { ToolContext } from './served-tool.ts';

/** What the calls of one server share. */
export interface Desk {
  readonly calls: Calls;
  readonly approvals: Approvals;
  readonly kept: KeptAnswers;
}

/** The user is not asked to pay more: no call of the table costs a thousandth of it. */
const MOST_ASKED_USD = 1;
const SHOWN_INPUT = 300;
const QUESTION = 'pay';

const NO_WALLET =
  'this server has no wallet to pay with. Nothing was paid. Run `asset-gateway-client wallet new` or name one with --keypair, and start the server over stdio (with --budget-usd 0.05 to pay without being asked)';
const CANNOT_ASK =
  'is beyond the budget, and this host cannot ask its user. Nothing was paid. Start the server with a larger --budget-usd or --max-call, such as --budget-usd 0.05';

const cluster = (network: string): string => (network === NETWORKS.mainnet ? 'mainnet' : 'devnet');

/** Asks the user through the host, or says why that cannot be. */
function ask(desk: Desk, tool: string, input: unknown, { offer, canAsk }: { offer: Unpaid['offer']; canAsk: boolean }) {
  const { purse, budget } = desk.calls.options;
  const price = `$${dollars(Number(offer.amount))}`;
  if (!purse) return refusalOf(`${tool} costs ${price}, and ${NO_WALLET}.`);
  if (!canAsk) return refusalOf(`${tool} costs ${price}, which ${CANNOT_ASK}.`);
  if (Number(offer.amount) > MOST_ASKED_USD * 1e6) {
    return refusalOf(`${tool} is to cost ${price}, more than this server pays for a call. Nothing was paid.`);
  }
  const asked = harmless(JSON.stringify(input) ?? '');
  const shown = asked.length > SHOWN_INPUT ? `${asked.slice(0, SHOWN_INPUT)}…` : asked;
  const message =
    `Pay ${price} in USDC on Solana ${cluster(offer.network)} to ${offer.payTo} for ${tool}? ` +
    `$${dollars(purse.ledger.spending().dayMicros)} of the $${budget.perDayUsd} a day that need no asking are spent. Input: ${shown}`;
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } }),
    },
    requestState: desk.approvals.ask({ tool, input, offer }),
  });
}

/** Calls a method, paying within the budget, and beyond it with what the user has just agreed to. */
export async function callMethod(
  desk: Desk,
  tool: string,
  input: unknown,
  { signal, canAsk, request }: ToolContext,
): Promise<CallToolResult | InputRequiredResult> {
  const reply = inputResponse(request.inputResponses, QUESTION);
  const isRefused = reply.kind === 'elicit' && reply.action !== 'accept';
  const agreed = desk.approvals.take(request.requestState(), tool, input);
  if (isRefused) return refusalOf(`The user declined to pay for ${tool}. Nothing was paid.`);
  const purchase: Purchase = { approved: reply.kind === 'elicit' ? agreed : undefined };
  try {
    return answerOf(await desk.calls.call({ tool, input, signal }, purchase), desk.kept, purchase);
  } catch (error) {
    if (error instanceof Unpaid) return ask(desk, tool, input, { offer: error.offer, canAsk });
    return failureOf(error, desk, purchase);
  }
}
