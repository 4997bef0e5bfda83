import { SHARED_TIMES } from '@asset-gateway/protocol';

const { blockhashMs, challengeMs, aheadMs, answerMs } = SHARED_TIMES;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** The most time for one answer of an RPC or a facilitator, and for a whole verification. */
const chainMs = 5 * SECOND_MS;
/**
 * The most time for a settlement, with the earlier settlements of its payer. A payment that was not sent within this time is never sent.
 */
const settleMs = 25 * SECOND_MS;
/** The most time from a payment's reservation to the end of its settlement. It is less than the life of a blockhash. */
const inFlightMs = blockhashMs - SECOND_MS;
const usualUpstreamMs = 15 * SECOND_MS;
/** How much longer a price is held than its upstream call may take. The call for a slot and the database need this time. */
const aroundMs = 15 * SECOND_MS;

/** The times of paid calls, in milliseconds. tests/payments/times.test.ts has the inequalities between them. */
export const TIMES = {
  ...{ ...SHARED_TIMES, chainMs, settleMs, inFlightMs },
  /** An upstream's time for a paid request, unless the operator sets another. */
  usualUpstreamMs,
  /** The most time for all upstream calls of one paid request together. The last second of `inFlightMs` is for the database. */
  longestUpstreamMs: inFlightMs - chainMs - settleMs - SECOND_MS,
  /** How long a sent transaction is looked up until it is confirmed. To send it takes up to `chainMs`. */
  confirmMs: settleMs - chainMs,
  /** The least time between the two answers of the chain that prove a payment to be missing. */
  apartMs: 2 * SECOND_MS,
  /** How long a payment's lease lasts, and how often it is renewed. */
  leaseMs: 6 * SECOND_MS,
  renewMs: 2 * SECOND_MS,
  /**
   * The longest wait for a slot after which a call is made. If it took longer, the process was probably suspended, and the call could
   * outlast its slot.
   */
  slotAnswerMs: 5 * SECOND_MS,
  /** The pause before a second simulation, because an RPC may not know a young blockhash yet. */
  youngBlockhashMs: 800,
  /** How long the final block height from an RPC is reused. Blocks take 400 ms. */
  heightMs: SECOND_MS,
  /** How often a sent transaction is looked up. */
  confirmEachMs: 250,
  /** How long a purchase waits for the look-up of its settlement, if the outcome is unknown. The look-up goes on. */
  lookUpMs: 5 * SECOND_MS,
  /** How often payments with an unknown outcome are looked up. */
  reconcileEachMs: 2 * SECOND_MS,
  /** How often an empty fee payer's balance is read. */
  emptyFeePayerEachMs: 5 * SECOND_MS,
  /** How often a remote facilitator's fee payers are read: until it answers, because nothing can be sold until then, and afterwards. */
  firstFeePayersEachMs: 2 * SECOND_MS,
  feePayersEachMs: 60 * SECOND_MS,
  /**
   * How often the first waiting call of a wallet tries again: on a single node, and if there are several. Other nodes and time-outs change
   * its account too.
   */
  waitEachMs: { alone: SECOND_MS, amongNodes: 200 },
  /** How often a release is tried again while the database is unavailable. */
  releaseEachMs: 500,
  /** How long a refusal waits for the release that shows its payment to be unused. */
  releaseMs: 300,
  /** How long a call waits for another call of its wallet. After that its payment is sent, before its blockhash expires. */
  waitMs: 20 * SECOND_MS,
  /** How long failures and unpaid calls of a wallet count against it. */
  failuresMs: 60 * SECOND_MS,
  /** How long calls that made an operator's API work without an answer to sell count against their wallet. */
  unpaidMs: 600 * SECOND_MS,
  /** How long a used nonce is remembered. After that, no node accepts it any more. */
  rememberedMs: challengeMs + 2 * aheadMs,
  /** How long one node counts deliveries. Its clock may differ from the database's. */
  deliveredMs: answerMs + 2 * aheadMs,
  /**
   * How long the gateway asks a facilitator about a payment if there is no chain to read: ten times a blockhash's life.
   */
  searchMs: 10 * blockhashMs,
  /** How long the gateway remembers that it asked a facilitator to settle a payment. */
  askedMs: HOUR_MS,
  recordMs: 24 * HOUR_MS,
  /** How long a fee counts. */
  feeMs: HOUR_MS,
  /** How long mainnet payments keep a payer known. */
  payerMs: 30 * 24 * HOUR_MS,
  /** The least time that a call's price is held. */
  leastHoldMs: usualUpstreamMs + aroundMs,
} as const;

/** Returns how long a price is held, if the upstream may take this long. */
export const holdMsFor = (upstreamMs: number): number => Math.max(upstreamMs, usualUpstreamMs) + aroundMs;

/** Returns how long a stopping node waits for its calls: 10 s longer than the longest call. */
export const drainMs = (upstreamMs: number, paidUpstreamMs: number = usualUpstreamMs): number =>
  Math.max(upstreamMs, chainMs + paidUpstreamMs + settleMs) + 10 * SECOND_MS;
