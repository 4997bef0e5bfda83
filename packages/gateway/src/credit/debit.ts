/** Whose balance it is: credit of one network never meets that of another. */
export interface AccountHolder {
  /** CAIP-2. */
  readonly network: string;
  readonly wallet: string;
}

/** A call that is to be paid from credit. Its id is of what pays for it: a sign-in's wallet and nonce, or a payment's key. */
export interface NewDebit extends AccountHolder {
  readonly id: string;
  readonly micros: number;
  readonly route: string;
  readonly requestHash: string;
  /** What spends it: a signature, or a payment that is covered and never settled. */
  readonly by: 'signature' | 'payment';
  /** Whoever has set it aside; nobody else may charge it or give it back. */
  readonly owner: string;
  /** Of the payment that is covered: by which it is found where somebody broadcasts it all the same. */
  readonly memo?: string;
  /** For the journal. */
  readonly requestId: string;
  /** The URL that it pays for, which its receipt names; only where receipts are signed. */
  readonly resourceUrl?: string;
  /** When it was charged, in milliseconds. */
  readonly capturedAtMs?: number;
}

/** A debit as it is kept. */
export interface Debit extends NewDebit {
  readonly progress: 'held' | 'captured';
  /** When what is held lapses, in milliseconds. */
  readonly untilMs: number;
  /** Calls to the upstream after the first, for a captured one whose answer was lost. */
  readonly callsAgain?: number;
}

export const accountName = ({ network, wallet }: AccountHolder): string => `account:${network}:${wallet}`;
export const debitName = (id: string): string => `debit:${id}`;

/** The id of a debit that a signature pays for. */
export const signedDebitId = ({ network, wallet }: AccountHolder, nonce: string): string =>
  `${network}:${wallet}:${nonce}`;

/** A debit as it reads now: what was held by somebody who took too long is free. */
export const readDebit = (stored: Debit | undefined, nowMs: number): Debit | undefined =>
  stored?.progress === 'held' && stored.untilMs <= nowMs ? undefined : stored;
