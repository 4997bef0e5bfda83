/** Times that gateways and clients both rely on, in milliseconds. */
export const SHARED_TIMES = {
  /** A transaction can land for at least this long: its blockhash is valid for 150 blocks of 400 ms. */
  blockhashMs: 60_000,
  /** How long the nonce or the memo of a challenge is valid. */
  challengeMs: 300_000,
  /** The largest difference between the clocks of honest nodes; clients leave it as a margin. */
  aheadMs: 30_000,
  /** How long a gateway stores a paid answer. Clients keep prices and open purchases for the same time. */
  answerMs: 600_000,
} as const;
