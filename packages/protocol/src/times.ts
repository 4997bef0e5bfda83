/** 24 hours. */
export const DAY_MS = 86_400_000;

/** A blockhash is valid for this many blocks. */
export const BLOCKHASH_BLOCKS = 150;

/** Times that gateways and clients both rely on, in milliseconds. */
export const SHARED_TIMES = {
  /** How long a transaction can land, at least. A block takes 400 ms. */
  blockhashMs: BLOCKHASH_BLOCKS * 400,
  /** How long a challenge's nonce or memo is valid. */
  challengeMs: 300_000,
  /** The largest difference between honest nodes' clocks. Clients use it as a margin. */
  aheadMs: 30_000,
  /** How long a gateway stores a paid answer. Clients remember prices and open purchases as long. */
  answerMs: 600_000,
} as const;
