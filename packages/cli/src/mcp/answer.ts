import { randomUUID } from 'node:crypto';
import { type Full, GatewayError } from '@asset-gateway/client';
import { attempt, harmless, isShallow, oneLine } from '@asset-gateway/protocol';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { failureSentence } from '../failure.ts';
import type { Calls, Purchase } from './calls.ts';
import { DEEPEST, jsonBytes, trim } from './trim.ts';

const LIFETIME_MS = 3_600_000;
const MAX_ANSWERS = 64;
const MAX_CHARACTERS = 32 * 1024 * 1024;
const URI = 'asset-gateway://answers/';

/** The URI template of all answers. */
export const ANSWER_TEMPLATE = `${URI}{answer}`;

/**
 * Stores the whole texts of cut answers in memory, for an hour. Beyond 64 answers or 32 million characters, the oldest are dropped. Over
 * HTTP all connections share this store. So the answers are not listed, and a client needs an answer's id.
 */
export class StoredAnswers {
  readonly #texts: LRUCache<string, string>;

  constructor(now: () => number = Date.now) {
    // The newest answer stays even if it is very long, because the user may have paid for it.
    const sizeCalculation = ({ length }: string): number => Math.min(length, MAX_CHARACTERS);
    const limits = { max: MAX_ANSWERS, maxSize: MAX_CHARACTERS, sizeCalculation };
    this.#texts = new LRUCache({ ...limits, ttl: LIFETIME_MS, ttlResolution: 0, perf: { now } });
  }

  /** Stores an answer's JSON. Returns its id, which cannot be guessed. */
  add(text: string): string {
    const answer = randomUUID();
    this.#texts.set(answer, text);
    return answer;
  }

  /** Returns an answer's JSON, if still stored. */
  text(answer: string): string | undefined {
    return this.#texts.peek(answer);
  }
}

/**
 * The most bytes of one copy of an answer. An answer has two, one for hosts that read only text. A byte-level tokenizer makes at most one
 * token per byte, so an answer stays below 25,000 tokens in any language.
 */
export const MAX_BYTES = 11_500;
const MAX_SENTENCE = 4_000;
const MAX_ISSUES = 20;
const PRICE = /^\d{1,9}(?:\.\d{1,9})?$/;

/** The price of a paid answer. */
interface Paid {
  readonly paid?: { readonly usd: string | undefined; readonly transaction: string | undefined };
}

/** Returns a result of plain JSON, as text and as structured content. */
export function structuredResult(structured: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured };
}

/** Returns a part of a stored answer, with its price and how to read on. */
export function partOf(
  answer: string,
  value: unknown,
  { bytes, paid }: { bytes: number; paid?: Paid },
): CallToolResult {
  const uri = URI + answer;
  const around = { cut: { answer, bytes, whole: uri, next: 'read_on shows the rest, free of charge' }, ...paid };
  const { content, structuredContent } = structuredResult({
    result: trim(value, MAX_BYTES - jsonBytes(around)),
    ...around,
  });
  const link = { type: 'resource_link', uri, name: answer, mimeType: 'application/json', size: bytes } as const;
  return { content: [...content, link], structuredContent };
}

/** Returns a tool error whose sentence says what to do. */
export const toolError = (sentence: string): CallToolResult => ({
  content: [{ type: 'text', text: harmless(sentence.slice(0, MAX_SENTENCE)) }],
  isError: true,
});

/** Returns the tool error for an answer that is not a result. Its text is stored. */
function unreadable(text: string, payment: string, stored: StoredAnswers): CallToolResult {
  const answer = stored.add(JSON.stringify(harmless(text)));
  return toolError(
    `The gateway's answer is not a result. ${payment}Do not call again: read_on with answer ${answer} shows its text, ` +
      'free of charge.',
  );
}

const paidBy = (transaction: string | undefined, { outcome }: Purchase): string => {
  if (transaction !== undefined) return `The call was paid for by transaction ${transaction}. `;
  return outcome === undefined ? '' : 'The call was paid for. ';
};

/** Returns a result's JSON without hidden characters; undefined if it nests too deep. */
const wholeOf = (result: unknown): string | undefined =>
  attempt(() => harmless(JSON.stringify(result) ?? 'null'), undefined);

/** Returns a result. If it is too long, it is cut, and the whole is stored. */
export function fittingResult(
  { result, text, price = '', transaction }: Full<unknown>,
  stored: StoredAnswers,
  purchase: Purchase,
): CallToolResult {
  const usd = PRICE.test(price) ? price : undefined;
  const isPaid = transaction !== undefined || purchase.outcome !== undefined;
  const paid: Paid = isPaid ? { paid: { usd, transaction } } : {};
  const whole = wholeOf(result);
  if (whole === undefined) return unreadable(text, paidBy(transaction, purchase), stored);
  const [bytes, room] = [Buffer.byteLength(whole), MAX_BYTES - jsonBytes(paid)];
  if (bytes <= room && isShallow(result, DEEPEST)) return structuredResult({ result: trim(result, room), ...paid });
  return partOf(stored.add(whole), result, { bytes, paid });
}

const UNKNOWN =
  'The payment was sent and its outcome is not known. Do not pay in another way: a call with the same input sends the same payment ' +
  'again, and so does `asset-gateway-client resume`. It is charged once.';
const SIGNED = 'A payment was signed for it: `asset-gateway-client spending` shows its outcome.';
const UNUSED =
  'The payment for this call was not used and costs nothing. A call with the same input sends the same payment again while it is ' +
  'valid, about a minute.';
const REFUSED =
  'A payment for this call was sent and refused. It counts as spent until it can no longer settle, about a minute.';

/** The two sentences above, for a payment that the MCP client made. */
const GIVEN_UNKNOWN =
  'The payment was passed on and its outcome is not known. Do not make another one: send the same call with the same payment again. ' +
  'It is charged once.';
const GIVEN_UNUSED =
  'The payment was not used and costs nothing. The same call can be sent with it again while it is valid, about a minute.';

/** Returns a sentence about the outcome of a failed call's payment. */
function paymentSentence({ code, payment }: GatewayError, { outcome, given }: Purchase): string[] {
  const isGiven = given !== undefined;
  if (outcome === 'open' && payment?.state === 'unused') return [isGiven ? GIVEN_UNUSED : UNUSED];
  if (code === 'payment_unknown' || outcome === 'open') return [isGiven ? GIVEN_UNKNOWN : UNKNOWN];
  // The message of `payment_refused` says this already.
  return outcome === 'refused' && code !== 'payment_refused' ? [REFUSED] : [];
}

/** Whether an error is a bug in this program. Its message would not help a model. */
const isFault = (error: unknown): boolean =>
  [TypeError, RangeError, SyntaxError, ReferenceError].some((kind) => error instanceof kind);

/** Returns the tool error for a failed call: its code, what to do next, and every issue of the input. */
export async function toolErrorFor(
  error: unknown,
  { calls, stored }: { readonly calls: Pick<Calls, 'peers'>; readonly stored: StoredAnswers },
  purchase: Purchase,
): Promise<CallToolResult> {
  if (isFault(error)) {
    return toolError(`internal_error: the call failed in this server.${purchase.outcome ? ` ${SIGNED}` : ''}`);
  }
  const message = oneLine(failureSentence(error, calls.peers), MAX_SENTENCE / 2);
  if (!(error instanceof GatewayError)) return toolError(message);
  const { code, issues, retryAfterSeconds, response, payment } = error;
  if (response?.ok) return unreadable(await response.clone().text(), paidBy(payment?.transaction, purchase), stored);
  const wrong = issues.slice(0, MAX_ISSUES).map((issue) => oneLine(JSON.stringify(issue), MAX_SENTENCE / MAX_ISSUES));
  const later = Number.isFinite(retryAfterSeconds) ? [`Try again in ${retryAfterSeconds} seconds.`] : [];
  const lines = [`${oneLine(code, 64)}: ${message}`, ...paymentSentence(error, purchase), ...later, ...wrong];
  return toolError(lines.join('\n'));
}
