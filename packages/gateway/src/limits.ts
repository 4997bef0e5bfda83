/** The largest request. A larger one is refused before it is matched. */
export const REQUEST_LIMITS = {
  bodyBytes: 64 * 1024,
  targetBytes: 8 * 1024,
  headerBytes: 16 * 1024,
} as const;

/** Limits of wallets, payments, credit and answers. `times.ts` says how long each count lasts. */
export const LIMITS = {
  /** The most payments of one wallet on one network between reservation and settlement. */
  paymentsInFlight: 4,
  /** The most calls of one wallet on one network whose price is held in credit. */
  holdsPerWallet: 8,
  /** The most upstream calls of one wallet within a minute for which neither a payment nor credit has paid. */
  unchargedCalls: 10,
  /** The most upstream calls for the answer to one payment or debit. */
  callsPerAnswer: 3,
  /**
   * The most calls of one wallet within ten minutes that made an operator's API work but gave no answer to sell. Each node counts them by
   * route.
   */
  failedCallsAtOwnApis: 3,
  /** The most calls on one node that wait for another call of their wallet. Devnet has its own limit because its money is free. */
  waiting: { ofOne: 32, ofDevnet: 64, ofAll: 256 },
  /** The most concurrent verifications for one network on one node. New payers may use half of them. */
  verifications: { all: 32, ofNewPayers: 16 },
  /** The most failed verifications within a minute on one node, by payer and by challenge. */
  failedVerifications: 3,
  /** The most payments of one payer that fail on the chain within an hour. Each has cost the gateway a fee. */
  failedOnChain: 3,
  /** How often one payment's answer may be delivered again: to the payer, whose request has the ticket, and to other clients. */
  deliveries: { payer: 200, other: 20 },
  /** The sum of mainnet payments that makes a payer known, in millionths of a dollar. */
  knownPayerMicros: 10_000,
  /** The fraction of the fee budget that new payers share. */
  newPayersFraction: 0.5,
  /** The most bytes of one upstream answer, encoded or decoded. */
  oneAnswerBytes: 5 * 1024 * 1024,
  /**
   * How deep an upstream's JSON may nest, how many lists and objects it may have, and how many different names of
   * members. Parsing more would block all other requests.
   */
  oneAnswerDepth: 512,
  oneAnswerLists: 500_000,
  oneAnswerNames: 100_000,
  /** The most bytes of all stored answers together. */
  answerBytes: 256 * 1024 * 1024,
  /** How many of its latest movements a wallet can read, and how often per second it can read its balance. */
  movements: 20,
  readsPerSecond: 5,
} as const;
