import { type Full, GatewayError } from '@asset-gateway/client';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { failureSentence } from '../failure.ts';
import { causeOf } from '../session.ts';
import { answerUri, type KeptAnswers } from './kept-answers.ts';
import { jsonBytes, trim } from './trim.ts';

/**
 * What one copy of an answer may take; there are two, one for hosts that read text alone. No tokenizer that works on bytes makes more
 * tokens than there are, so an answer stays below 25,000 tokens in any language.
 */
const MAX_BYTES = 11_500;
const MAX_MESSAGE = 4_000;
const MAX_ISSUES = 20;

/** What an answer has cost, where it was paid for. */
interface Paid {
  readonly paid?: { readonly usd: string | undefined; readonly transaction: string };
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

/** A result as far as it fits; the whole of one that does not is kept. */
export function answerOf({ result, price, transaction }: Full<unknown>, kept: KeptAnswers): CallToolResult {
  const paid: Paid = transaction === undefined ? {} : { paid: { usd: price, transaction } };
  const text = JSON.stringify(result);
  const bytes = Buffer.byteLength(text);
  if (bytes + jsonBytes(paid) <= MAX_BYTES) return resultOf({ result, ...paid });
  return partOf(kept.keep(text), result, { bytes, paid });
}

/** A refusal in a sentence that says what to do. */
export const refusalOf = (sentence: string): CallToolResult => ({
  content: [{ type: 'text', text: sentence }],
  isError: true,
});

const UNKNOWN =
  'The payment was sent and its outcome is not known. Do not call again; `asset-gateway-client resume` sends the same payment.';

/** What went wrong at this gateway, for a model: the code, what to do, and all that is wrong with the input. */
export function failureOf(error: unknown, gateway: string): CallToolResult {
  const message = failureSentence(causeOf(error), gateway).slice(0, MAX_MESSAGE);
  if (!(error instanceof GatewayError)) return refusalOf(message);
  const { code, issues, retryAfterSeconds } = error;
  const wrong = issues.slice(0, MAX_ISSUES).map((issue) => JSON.stringify(issue).slice(0, MAX_MESSAGE / MAX_ISSUES));
  const later = retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} seconds.`];
  const open = code === 'payment_unknown' ? [UNKNOWN] : [];
  return refusalOf([`${code}: ${message}`, ...wrong, ...later, ...open].join('\n'));
}
