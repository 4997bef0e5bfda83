import { SHARED_TIMES } from '@asset-gateway/protocol';

const { blockhashMs, challengeMs, aheadMs, answerMs } = SHARED_TIMES;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** One answer of an RPC or of a facilitator; a whole verification has no longer. */
const chainMs = 5 * SECOND_MS;
/** A settlement, with those of the same payer before it: what has not been sent by then is never sent. */
const settleMs = 25 * SECOND_MS;
/** A payment between its reservation and the end of its settlement. Its blockhash must outlive it. */
const inFlightMs = blockhashMs - SECOND_MS;
const usualUpstreamMs = 15 * SECOND_MS;
/** What comes before and after the upstream call of a held price: slots, answers of the database. */
const aroundMs = 15 * SECOND_MS;

/** Times of paid calls, in milliseconds. tests/payments/times.test.ts has the inequalities that hold between them. */
export const TIMES = {
  ...{ ...SHARED_TIMES, chainMs, settleMs, inFlightMs },
  /** An upstream's answer to a paid request, unless the operator sets another time. */
  usualUpstreamMs,
  /** All upstream calls of one paid request together, at most. The last second is for the database. */
  longestUpstreamMs: inFlightMs - chainMs - settleMs - SECOND_MS,
  /** Confirming what was sent; sending is one answer of the RPC. */
  confirmMs: settleMs - chainMs,
  /** Two answers that a payment is missing are at least this far apart. */
  apartMs: 2 * SECOND_MS,
  /** How long a payment's lease lasts, and how often it is renewed. */
  leaseMs: 6 * SECOND_MS,
  renewMs: 2 * SECOND_MS,
  /** How long a call waits for another call of its wallet. Its payment is sent after that, and before its blockhash expires. */
  waitMs: 20 * SECOND_MS,
  /** How long failures and unpaid calls of a wallet count against it. */
  failuresMs: 60 * SECOND_MS,
  /** How long calls that worked at an operator's API and were not paid count against their wallet. */
  unpaidMs: 600 * SECOND_MS,
  /** How long something used is remembered: no node takes its challenge any more then. */
  rememberedMs: challengeMs + 2 * aheadMs,
  /** How long one node counts what it has delivered, whose clock may differ from the database's. */
  deliveredMs: answerMs + 2 * aheadMs,
  /** How long a facilitator is asked about a payment without a chain to read: many times the life of a blockhash. */
  searchMs: 10 * blockhashMs,
  /** How long it is known that a facilitator was asked to settle a payment. */
  askedMs: HOUR_MS,
  recordMs: 24 * HOUR_MS,
  /** How long a fee counts. */
  feeMs: HOUR_MS,
  /** How long mainnet payments make a known payer. */
  payerMs: 30 * 24 * HOUR_MS,
  /** How long the price of a call is held, at least. */
  leastHoldMs: usualUpstreamMs + aroundMs,
} as const;

/** How long the price of a call is held whose upstream may take this long. */
export const holdMs = (upstreamMs: number): number => Math.max(upstreamMs, usualUpstreamMs) + aroundMs;

/** How long a stopping node waits for its calls: 10 s longer than any of them takes. */
export const drainMs = (upstreamMs: number, paidUpstreamMs: number = usualUpstreamMs): number =>
  Math.max(upstreamMs, chainMs + paidUpstreamMs + settleMs) + 10 * SECOND_MS;

/** What some work resolves with, or undefined if it takes longer. The work goes on. */
export function within<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds, undefined).unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
