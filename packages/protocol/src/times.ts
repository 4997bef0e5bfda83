/** Times that gateways and clients both rely on, in milliseconds. */
export const SHARED_TIMES = {
  /** How long a transaction can land, at least. Its blockhash is valid for 150 blocks of 400 ms. */
  blockhashMs: 60_000,
  /** How long a challenge's nonce or memo is valid. */
  challengeMs: 300_000,
  /** The largest difference between honest nodes' clocks. Clients use it as a margin. */
  aheadMs: 30_000,
  /** How long a gateway stores a paid answer. Clients remember prices and open purchases as long. */
  answerMs: 600_000,
} as const;
