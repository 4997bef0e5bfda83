/** Whose balance it is: credit of one network never meets that of another. */
export interface AccountHolder {
  /** CAIP-2. */
  readonly network: string;
  readonly wallet: string;
}

/** A call that is to be paid from credit. Its id is a sign-in's wallet and nonce, or a payment's key. */
export interface NewDebit extends AccountHolder {
  readonly id: string;
  readonly micros: number;
  readonly route: string;
  readonly requestHash: string;
  /** What spends it: a signature, or a payment that is covered and never settled. */
  readonly by: 'signature' | 'payment';
  /** A random word of the request that holds the price: only that request may charge or release it. */
  readonly owner: string;
  /** The memo of the covered payment, by which it is found if it is broadcast all the same. */
  readonly memo?: string;
  /** For the journal. */
  readonly requestId: string;
  /** The URL that it pays for, which its receipt names; only if receipts are signed. */
  readonly resourceUrl?: string;
  /** When it was charged, in milliseconds. */
  readonly capturedAtMs?: number;
}

/** A debit as it is stored. */
export interface Debit extends NewDebit {
  readonly progress: 'held' | 'captured';
  /** When a hold lapses, in milliseconds. */
  readonly untilMs: number;
  /** Upstream calls after the first, for a captured debit whose answer was lost. */
  readonly callsAgain: number;
}

/** The id of a debit that a signature pays for. It begins with the time, so that an index takes new ids at one end. */
export const signedDebitId = ({ network, wallet }: AccountHolder, nonce: string): string =>
  `${nonce}:${network}:${wallet}`;
