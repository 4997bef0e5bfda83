import { challengeIn, signIn } from '@asset-gateway/client';
import { newSigner } from '@asset-gateway/client/node';
import { sleep } from '../budget/history.ts';
import { ownTime } from '../kit/event-loop.ts';
import { isFull } from '../kit/rounds.ts';

/** An answer to a signed request, as far as these tests look at it. */
export interface Answered {
  readonly url: string;
  readonly header: string;
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | null;
}

/** The longest wait for a store that does not answer, on any machine. */
export const NO_HANG_MS = 1_000;
/** The promised wait, checked with ROUNDS=full. */
export const PROMISED_MS = isFull ? 250 : NO_HANG_MS;

/** A pause between requests; none with ROUNDS=full. */
const rest = async () => (isFull ? undefined : sleep(40));

const wallet = newSigner();
let serial = 0;

/** A new path of the asset-data routes. */
export const newPath = (): string => `/v1/x402/tokens/assets/search?q=word${++serial}`;

/** Asks with a sign-in. */
export async function askWith(url: string, header: string): Promise<Answered> {
  const response = await fetch(url, { headers: { 'SIGN-IN-WITH-X': header } });
  const { error = '' } = (await response.json()) as { error?: string };
  const retryAfter = response.headers.get('retry-after');
  return { url, header, status: response.status, code: error, retryAfter };
}

/** Asks a gateway for something new, with a fresh sign-in; a gateway that has no challenge to give answers that. */
export async function askFreshly(origin: string): Promise<Answered> {
  const url = origin + newPath();
  const response = await fetch(url);
  const refusal = (await response.json()) as { readonly error?: string };
  const challenge = challengeIn(refusal);
  if (challenge) return askWith(url, await signIn(challenge, wallet, new URL(url)));
  const retryAfter = response.headers.get('retry-after');
  return { url, header: '', status: response.status, code: refusal.error ?? '', retryAfter };
}

/** Asks until `stop`, which returns all responses. */
export function keepAsking(origin: string, atOnce: number): { stop(): Promise<Answered[]> } {
  const answers: Answered[] = [];
  let isStopped = false;
  const worker = async () => {
    while (!isStopped) {
      answers.push(await askFreshly(origin));
      await rest();
    }
  };
  const workers = Promise.all(Array.from({ length: atOnce }, worker));
  return {
    async stop() {
      isStopped = true;
      await workers;
      return answers;
    },
  };
}

/** Longer than any wait, on any machine. */
const LIMIT_MS = 25_000;

/** Asks until an answer is as wanted. Returns it, and the earlier ones. */
async function askUntil(ask: () => Promise<Answered>, isWanted: (answer: Answered) => boolean) {
  const end = performance.now() + LIMIT_MS;
  const before: Answered[] = [];
  while (performance.now() < end) {
    const answer = await ask().catch(() => undefined);
    if (answer && isWanted(answer)) return { answer, before };
    if (answer) before.push(answer);
    await rest();
  }
  throw new Error(`answered ${codesOf(before).join()}`);
}

/** Asks until an answer is not that the state is unavailable, and gives it. */
export const untilAvailable = async (ask: () => Promise<Answered>): Promise<Answered> =>
  (await askUntil(ask, ({ code }) => code !== 'state_unavailable')).answer;

/** Asks with fresh sign-ins until a response is 200. Returns the earlier responses too. */
export const untilServed = (origin: string) =>
  askUntil(
    () => askFreshly(origin),
    ({ status }) => status === 200,
  );

interface LogLine {
  readonly time: string;
  readonly error?: string;
  readonly ms: number;
}

/** The longest that a gateway of this process took to say that its state is unavailable, by its log, in whole milliseconds. */
export function longestWait(logLines: readonly string[]): number {
  const lines = logLines.map((line) => JSON.parse(line) as LogLine);
  const refused = lines.filter(({ error }) => error === 'state_unavailable');
  const waits = refused.map(({ time, ms }) => {
    const endMs = Date.parse(time) - performance.timeOrigin;
    return ownTime(endMs - ms, endMs);
  });
  return Math.ceil(Math.max(...waits));
}

/** The distinct status codes. */
export const codesOf = (answers: readonly Answered[]): string[] =>
  [...new Set(answers.map(({ status, code }) => `${status} ${code}`.trim()))].sort();
