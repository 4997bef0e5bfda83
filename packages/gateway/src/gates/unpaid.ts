import { HEADERS, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Admission, Gate, Inbound } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { carriedPayment } from '../payments/read/payment.ts';
import { paymentKeyOf } from '../payments/read/requirement.ts';
import { readTransaction } from '../payments/read/transaction.ts';
import { alreadyUsed } from '../receipts/paid-answers.ts';
import { Recent } from '../tallies.ts';
import { TIMES } from '../times.ts';
import { readSignIn } from './siwx/sign-in.ts';

/** Codes of a call for which the API did its work, but whose answer is too large, late, not JSON, or of another status. */
const WORKED: readonly RefusalCode[] = ['upstream_invalid_response', 'upstream_timeout'];
const MESSAGE =
  'Several calls of this wallet made the API work without an answer that can be sold; ask for less, after Retry-After.';

/** Calls that worked at an operator's API and were not paid, by route and wallet. This node counts them in memory. */
export class UnpaidCalls {
  readonly #times = new Recent<readonly number[]>(TIMES.unpaidMs);
  /** Credentials of calls that may have had an effect. */
  readonly #made = new Recent<true>(TIMES.rememberedMs);
  readonly #now: () => number;

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  hasMade(credential: string): boolean {
    return this.#made.get(credential, this.#now()) !== undefined;
  }

  made(credential: string): void {
    this.#made.set(credential, true, this.#now());
  }

  #of(name: string): readonly number[] {
    const nowMs = this.#now();
    return (this.#times.get(name, nowMs) ?? []).filter((atMs) => nowMs - atMs < TIMES.unpaidMs);
  }

  assertFew(name: string): void {
    const first = this.#of(name).at(-LIMITS.unpaidAtOwnApis);
    if (first === undefined) return;
    const retryAfterSeconds = Math.ceil((first + TIMES.unpaidMs - this.#now()) / 1_000);
    throw new Refusal('rate_limited', { reason: 'unpaid calls that worked', message: MESSAGE, retryAfterSeconds });
  }

  count(name: string): void {
    this.#times.set(name, [...this.#of(name), this.#now()].slice(-LIMITS.unpaidAtOwnApis), this.#now());
  }
}

/** The credential of a request, however its header is spelled: the signed bytes of the payment, or nonce and wallet of the sign-in. */
function credentialOf(inbound: Inbound): string {
  const carried = carriedPayment(inbound);
  const transaction = carried && carried !== 'malformed' ? readTransaction(carried.transaction) : undefined;
  if (transaction) return paymentKeyOf('', transaction.message);
  const header = inbound.headers[HEADERS.signIn.toLowerCase()];
  const { nonce, address } = (typeof header === 'string' ? readSignIn(header) : undefined) ?? {};
  return `${nonce} ${address}`;
}

/**
 * A gate of an operator's paid route. It refuses a wallet before anything is used up if too many of its calls worked and were
 * not paid. A call that may have an effect is made once for each credential.
 */
export const limitingUnpaid = (gate: Gate, calls: UnpaidCalls): Gate => ({
  serve(call, trail, prepare) {
    const { id, upstream } = call.route;
    return gate.serve(call, trail, (isOwed) => {
      if (isOwed && upstream.isOnce) throw alreadyUsed('the answer was lost, and the call is not repeated');
      if (isOwed) return prepare(isOwed);
      const credential = upstream.isOnce ? credentialOf(call.inbound) : '';
      if (upstream.isOnce && calls.hasMade(credential)) throw alreadyUsed('called before', 'refused');
      calls.assertFew(`${id} ${trail.wallet}`);
      const ask = prepare();
      const onSlot = (admission: Admission) => async () => {
        if (upstream.isOnce) calls.made(credential);
        await admission.onSlot?.();
      };
      return (admission) =>
        ask({ ...admission, onSlot: onSlot(admission) }).catch((error) => {
          if (error instanceof Refusal && WORKED.includes(error.code)) calls.count(`${id} ${trail.wallet}`);
          throw error;
        });
    });
  },
  challenge: (call, code) => gate.challenge(call, code),
});
