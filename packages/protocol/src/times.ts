/** Times that gateways and clients both rely on, in milliseconds. */
export const SHARED_TIMES = {
  /** A transaction can land for this long at least: its blockhash is good for 150 blocks of 400 ms. */
  blockhashMs: 60_000,
  /** How long a challenge is good: its nonce, or its memo. */
  challengeMs: 300_000,
  /** The largest difference between the clocks of honest nodes; clients leave it as a margin. */
  aheadMs: 30_000,
  /** How long a paid answer is stored. Then its purchase is over: clients keep prices, and the question whether to pay, no longer. */
  answerMs: 600_000,
} as const;
