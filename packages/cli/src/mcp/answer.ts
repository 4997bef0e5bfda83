import { type Full, GatewayError } from '@asset-gateway/client';
import { harmless, oneLine } from '@asset-gateway/protocol';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { failureSentence } from '../failure.ts';
import type { Calls, Purchase } from './calls.ts';
import { answerUri, type KeptAnswers } from './kept-answers.ts';
import { isShallow, jsonBytes, trim } from './trim.ts';

/**
 * The most bytes of one copy of an answer; there are two, one for hosts that read only text. No tokenizer that works on bytes makes more
 * tokens than there are bytes, so an answer stays below 25,000 tokens in any language.
 */
const MAX_BYTES = 11_500;
const MAX_SENTENCE = 4_000;
const MAX_ISSUES = 20;
const PRICE = /^\d{1,9}(?:\.\d{1,9})?$/;

/** The cost of an answer, if it was paid for. */
interface Paid {
  readonly paid?: { readonly usd: string | undefined; readonly transaction: string | undefined };
}

/** An answer of plain JSON, as text for every host and as data for those that read it. */
export function resultOf(structured: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured };
}

/** A part of an answer that is kept as a whole, how to read on, and what was paid. */
export function partOf(
  answer: string,
  value: unknown,
  { bytes, paid }: { bytes: number; paid?: Paid },
): CallToolResult {
  const uri = answerUri(answer);
  const around = { cut: { answer, bytes, whole: uri, next: 'read_on shows the rest; it costs nothing' }, ...paid };
  const { content, structuredContent } = resultOf({ result: trim(value, MAX_BYTES - jsonBytes(around)), ...around });
  const link = { type: 'resource_link', uri, name: answer, mimeType: 'application/json', size: bytes } as const;
  return { content: [...content, link], structuredContent };
}

/** A refusal in a sentence that says what to do. */
export const refusalOf = (sentence: string): CallToolResult => ({
  content: [{ type: 'text', text: harmless(sentence.slice(0, MAX_SENTENCE)) }],
  isError: true,
});

/** An answer of which only the text is left, as it is no result. */
function unreadable(text: string, payment: string, kept: KeptAnswers): CallToolResult {
  const answer = kept.keep(JSON.stringify(harmless(text)));
  return refusalOf(
    `The gateway answered with something else than a result. ${payment}Do not call again: read_on with answer ${answer} shows ` +
      'the text of the answer and costs nothing.',
  );
}

const paidBy = (transaction: string | undefined, { outcome }: Purchase): string => {
  if (transaction !== undefined) return `The call was paid for by transaction ${transaction}. `;
  return outcome === undefined ? '' : 'The call was paid for. ';
};

/** The JSON of a result without hidden characters; undefined if it nests too deep to be written. */
function wholeOf(result: unknown): string | undefined {
  try {
    return harmless(JSON.stringify(result) ?? 'null');
  } catch {
    return undefined;
  }
}

/** A result as far as it fits; one that does not fit is kept as a whole. */
export function answerOf(
  { result, text, price = '', transaction }: Full<unknown>,
  kept: KeptAnswers,
  purchase: Purchase,
): CallToolResult {
  const usd = PRICE.test(price) ? price : undefined;
  const isPaid = transaction !== undefined || purchase.outcome !== undefined;
  const paid: Paid = isPaid ? { paid: { usd, transaction } } : {};
  const whole = wholeOf(result);
  if (whole === undefined) return unreadable(text, paidBy(transaction, purchase), kept);
  const [bytes, room] = [Buffer.byteLength(whole), MAX_BYTES - jsonBytes(paid)];
  if (bytes <= room && isShallow(result)) return resultOf({ result: trim(result, room), ...paid });
  return partOf(kept.keep(whole), result, { bytes, paid });
}

const UNKNOWN =
  'The payment was sent and its outcome is not known. Do not pay in another way: a call with the same input sends the same payment ' +
  'again, which is charged once, and so does `asset-gateway-client resume`.';
const SIGNED = 'A payment was signed for it: `asset-gateway-client spending` shows its outcome.';
const REFUSED = 'A payment for this call was sent and refused. It counts as spent.';

/** What became of the payment of a call that failed. */
function paymentSentence({ code }: GatewayError, { outcome }: Purchase): string[] {
  if (code === 'payment_unknown' || outcome === 'open') return [UNKNOWN];
  // The message of `payment_refused` says it already.
  return outcome === 'refused' && code !== 'payment_refused' ? [REFUSED] : [];
}

/** A fault of this program: its message would say nothing to a model. */
const isFault = (error: unknown): boolean =>
  [TypeError, RangeError, SyntaxError, ReferenceError].some((kind) => error instanceof kind);

/** The tool error for a failed call: its code, what to do next, and every issue of the input. */
export async function failureOf(
  error: unknown,
  { calls, kept }: { readonly calls: Pick<Calls, 'peers'>; readonly kept: KeptAnswers },
  purchase: Purchase,
): Promise<CallToolResult> {
  if (isFault(error)) {
    return refusalOf(`internal_error: the call failed in this server.${purchase.outcome ? ` ${SIGNED}` : ''}`);
  }
  const message = oneLine(failureSentence(error, calls.peers), MAX_SENTENCE / 2);
  if (!(error instanceof GatewayError)) return refusalOf(message);
  const { code, issues, retryAfterSeconds, response, payment } = error;
  if (response?.ok) {
    return unreadable(await response.clone().text(), paidBy(payment?.transaction, purchase), kept);
  }
  const wrong = issues.slice(0, MAX_ISSUES).map((issue) => oneLine(JSON.stringify(issue), MAX_SENTENCE / MAX_ISSUES));
  const later = Number.isFinite(retryAfterSeconds) ? [`Try again in ${retryAfterSeconds} seconds.`] : [];
  const lines = [`${oneLine(code, 64)}: ${message}`, ...paymentSentence(error, purchase), ...later, ...wrong];
  return refusalOf(lines.join('\n'));
}
