import { GatewayError } from '@asset-gateway/client';
import { findOffer, settlementIn } from '@asset-gateway/client/pay';
import type { Tool } from '@asset-gateway/client/tools';
import { dollarText, harmless, listAt, oneLine, type PaymentRequired, textAt } from '@asset-gateway/protocol';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Unpaid } from '../money/command-payer.ts';
import { fittingResult, MAX_BYTES, type StoredAnswers, structuredResult, toolError, toolErrorFor } from './answer.ts';
import type { Calls, Purchase } from './calls.ts';
import type { ToolContext } from './served-tool.ts';
import { jsonBytes, trim } from './trim.ts';

/** The keys of x402's MCP transport, version 2: specs/transports-v2/mcp.md. */
const PAYMENT = 'x402/payment';
const SETTLEMENT = 'x402/payment-response';
/** The extension of clients that understand `resultType: "payment_required"`. */
export const EXTENSION = 'org.x402/payment';

/** What the calls of a paying client need. */
interface ClientCallServices {
  readonly calls: Calls;
  readonly stored: StoredAnswers;
}

/** Returns the unchecked payment in a request. */
export const paymentOf = ({ _meta }: ToolContext['request']): unknown => _meta?.[PAYMENT];

/** Whether a call's client pays for it. A payment that it sends is always passed on. */
export function clientPays(
  { calls: { options } }: ClientCallServices,
  { hasExtension, request }: ToolContext,
): boolean {
  const chosen = options.payBy ?? (options.payer && !hasExtension ? 'server' : 'client');
  return chosen === 'client' || paymentOf(request) !== undefined;
}

/** Returns a value without hidden characters. */
const clean = <Value>(value: Value): Value => trim(value, Number.POSITIVE_INFINITY) as Value;

const HOW =
  `Send the same call again with an x402 payment of one requirement in _meta["${PAYMENT}"]. Without a wallet that can, run ` +
  '`asset-gateway-client wallet new` (in a clone `npm run ask -- wallet new`) or name a wallet with --keypair, and start this server ' +
  'over stdio with --budget-usd 0.05.';

/** Returns the user's options, in words for a model whose host does not know x402. */
function sentenceFor(tool: string, required: PaymentRequired, reason: string): string {
  const price = `${dollarText(Number(textAt(listAt(required, 'accepts')[0], 'amount')))}`;
  return reason === ''
    ? `${tool} costs ${price}, and this server has no wallet. Nothing was paid. ${HOW}`
    : `${reason} ${tool} costs ${price}: a new payment can be made.`;
}

const MAX_REASON = 1_000;

/** Returns the result that asks for a payment, in the form that the client understands. Omits HTTP's extensions. */
function paymentRequired(
  tool: string,
  { x402Version, error, resource, accepts }: PaymentRequired,
  { reason, hasExtension }: { readonly reason: string; readonly hasExtension: boolean },
): CallToolResult {
  const required = clean({ x402Version, error, resource, accepts });
  if (jsonBytes(required) > MAX_BYTES) return toolError(`The gateway's requirements for ${tool} are too long.`);
  if (hasExtension) return { content: [], resultType: 'payment_required', paymentRequired: required };
  const { content, structuredContent } = structuredResult(required);
  const sentence = harmless(sentenceFor(tool, { ...required, extensions: {} }, reason));
  return { content: [...content, { type: 'text', text: sentence }], structuredContent, isError: true };
}

/** Returns the requirements of an unpaid call, and why its payment was refused, if it had one. Undefined for other failures. */
async function requirementsIn(error: unknown, { required }: Purchase) {
  if (error instanceof Unpaid) {
    const { error: why } = error.payable;
    return {
      payable: error.payable,
      reason: why === 'payment_required' ? '' : `The payment was refused (${oneLine(why, 64)}).`,
    };
  }
  if (!(error instanceof GatewayError)) return undefined;
  const { code, response, message } = error;
  if (code === 'payment_refused') {
    const body: unknown = await response?.clone().json();
    const reason = `The payment was refused (${textAt(body, 'error')}: ${textAt(body, 'message')}).`;
    const found = findOffer(body);
    return found && { payable: found.payable, reason: oneLine(reason, MAX_REASON) };
  }
  if (code !== 'payment_already_used' || !required) return undefined;
  return {
    payable: { ...required, error: code },
    reason: oneLine(`The payment was refused (${code}: ${message}).`, MAX_REASON),
  };
}

/** Returns the result with x402's SettleResponse, if the gateway sent one. */
function withSettlement(result: CallToolResult, response: Response | undefined): CallToolResult {
  const settlement = response && settlementIn(response);
  return settlement ? { ...result, _meta: { ...result._meta, [SETTLEMENT]: clean(settlement) } } : result;
}

/** Calls a method for a client that pays for it. Asks it for a payment, or passes its payment on to the gateway. */
export async function callForClient(
  services: ClientCallServices,
  method: Tool,
  input: unknown,
  { request, hasExtension }: ToolContext,
): Promise<CallToolResult> {
  const purchase: Purchase = { isQuote: true, given: paymentOf(request) };
  try {
    const full = await services.calls.call(method, input, request.signal, purchase);
    return withSettlement(fittingResult(full, services.stored, purchase), full.response);
  } catch (error) {
    // If the 402 cannot be read or paid, the failure is an ordinary one.
    const unpaid = await requirementsIn(error, purchase).catch(() => undefined);
    const result = unpaid
      ? paymentRequired(method.name, unpaid.payable, { reason: unpaid.reason, hasExtension })
      : await toolErrorFor(error, services, purchase);
    return withSettlement(result, error instanceof GatewayError ? error.response : undefined);
  }
}
