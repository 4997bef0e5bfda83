/** Limits of wallets, payments and credit. `times.ts` has how long each thing counts. */
export const LIMITS = {
  /** Payments of one wallet on one network between reservation and settlement. */
  paymentsInFlight: 4,
  /** Calls of one wallet on one network whose price is held in credit. */
  holdsPerWallet: 8,
  /** Upstream calls of one wallet within a minute that no payment and no credit has paid for. */
  unchargedCalls: 10,
  /** Upstream calls that the answer to one payment or debit may cost. */
  callsPerAnswer: 3,
  /** Calls of one wallet within ten minutes that worked at an operator's API and were not paid: by route, on one node. */
  unpaidAtOwnApis: 3,
  /** Calls on one node that wait for another call of their wallet: of one wallet, of all devnet wallets, of all. Devnet's money is free. */
  waiting: { ofOne: 32, ofDevnet: 64, ofAll: 256 },
  /** Verifications at once of one network on one node; new payers share half of them. */
  verifications: { all: 32, ofNewPayers: 16 },
  /** Failed verifications of one payer, or for one challenge, within a minute on one node. */
  failedVerifications: 3,
  /** How often the answer of one payment may be delivered again, to its payer and to clients without its ticket. */
  deliveries: { payer: 200, other: 20 },
  /** How much on mainnet makes a known payer, in millionths of a dollar. */
  knownPayerMicros: 10_000,
  /** The part of the fee budget that new payers share. */
  newPayersShare: 0.5,
  /** The most bytes of all stored answers together. */
  answerBytes: 256 * 1024 * 1024,
  /** The latest movements that a wallet can read, and how often in a second it can read its balance. */
  movements: 20,
  readsPerSecond: 5,
} as const;
