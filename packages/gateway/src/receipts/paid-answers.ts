import { type PaymentState, Refusal } from '@asset-gateway/protocol';
import type { Background } from '../background.ts';
import type { Answer, Ask, Delivery, Prepare, Receipt } from '../call.ts';
import { fromStore } from '../from-store.ts';
import { LIMITS } from '../limits.ts';
import { Recent } from '../tallies.ts';
import { TIMES } from '../times.ts';

/** A request that is paid for. */
export interface PaidRequest {
  /** The hash of the request. No secret goes into it, so restarts and changed secrets do not change it. */
  readonly requestHash: string;
  /** A random text, the request's own. Only with it can the reserved payment or the held price be released. */
  readonly owner: string;
  readonly route: string;
  readonly requestId: string;
  /** Whether the call may have an effect. If so, one payment makes it once at most. */
  readonly mayHaveEffect?: boolean;
  /** The URL of the request; absent unless receipts are signed. */
  readonly resourceUrl?: string;
}

/** The store of answers that were paid for, by the key of the payment or the id of the debit. */
interface AnswerStore {
  readonly background: Background;
  now(): number;
  answer(key: string): Promise<string | undefined>;
  /** Returns how many upstream calls were made for an answer so far. */
  calls(key: string): Promise<number>;
  /** Counts one more upstream call. */
  called(key: string): Promise<void>;
  /** Stores an answer that was fetched again. */
  keep(key: string, answer: string): Promise<void>;
  /** Records that the answer was sent to the payer, who may have missed it. */
  delivered(key: string): void;
}

/** Returns the stored form of an answer: its JSON, after the API's status if that is not 200. No JSON text begins like a status. */
export const storedText = ({ json, upstreamStatus }: Answer): string =>
  upstreamStatus === undefined ? json : `${upstreamStatus} ${json}`;

const STORED_STATUS = /^2\d\d (?=\S)/;

/** Returns the answer that a stored text contains. */
export function answerIn(text: string): Answer {
  const [status] = STORED_STATUS.exec(text) ?? [];
  return status === undefined ? { json: text } : { json: text.slice(status.length), upstreamStatus: Number(status) };
}

/** Delivers answers that were paid for before, and fetches them again if they were lost. */
export class PaidAnswers {
  readonly #store: AnswerStore;
  /** How often this node has delivered each answer again. */
  readonly #repeats = new Recent<{ times: number }>(TIMES.deliveredMs);
  /** The keys of the answers that this node is fetching again. */
  readonly #fetching = new Set<string>();

  constructor(store: AnswerStore) {
    this.#store = store;
  }

  /** Counts one delivery. Returns whether this one exceeds the limit. */
  isTooOften(key: string, kind: keyof typeof LIMITS.deliveries): boolean {
    const name = `${kind} ${key}`;
    const nowMs = this.#store.now();
    const known = this.#repeats.get(name, nowMs) ?? { times: 0 };
    if (known.times === 0) this.#repeats.set(name, known, nowMs);
    known.times += 1;
    return known.times > LIMITS.deliveries[kind];
  }

  /** Delivers the stored answer. If it is lost, fetches it again, or refuses it if `isExpired`. */
  async deliver(
    key: string,
    receipt: Receipt | Promise<Receipt>,
    prepare: Prepare,
    isExpired = false,
  ): Promise<Delivery> {
    const store = this.#store;
    const [text, paid] = await fromStore(Promise.all([store.answer(key), receipt]));
    if (text === undefined && isExpired) throw alreadyUsed('answer no longer kept');
    const answer = text === undefined ? await this.#fetchAgain(key, prepare(true)) : answerIn(text);
    return { answer, receipt: { ...paid, onDelivered: () => store.delivered(key) } };
  }

  /** Calls the upstream again for a lost answer to a settled payment or debit. Settles and charges nothing. */
  async #fetchAgain(key: string, ask: Ask): Promise<Answer> {
    const store = this.#store;
    if (this.#fetching.has(key)) throw inProgress('taken');
    this.#fetching.add(key);
    try {
      // Meanwhile another request may have fetched the answer.
      const stored = await fromStore(store.answer(key));
      if (stored !== undefined) return answerIn(stored);
      const answer = await ask({
        async beforeSlot() {
          if ((await fromStore(store.calls(key))) >= LIMITS.callsPerAnswer) throw alreadyUsed('asked for too often');
        },
        onSlot: () => store.background.run('deliveries', () => store.called(key)),
      });
      await store.background.run('deliveries', () => store.keep(key, storedText(answer)));
      return answer;
    } finally {
      this.#fetching.delete(key);
    }
  }
}

/** The state of a payment or signature that the client can send again for the same request. */
export const UNUSED_PAYMENT = { state: 'unused' } as const satisfies PaymentState;

/** Returns the refusal while the payment or debit is in progress. */
export const inProgress = (reason?: string): Refusal =>
  new Refusal('payment_in_progress', { ...(reason && { reason }), payment: { state: 'in_progress' } });

/** Returns the refusal of a payment or debit that cannot buy this answer. It was charged, unless `state` says otherwise. */
export const alreadyUsed = (reason: string, state: PaymentState['state'] = 'settled'): Refusal =>
  new Refusal('payment_already_used', { reason, payment: { state } });
