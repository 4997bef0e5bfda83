/** What an entry of the journal is about. A refusal moves no money, but may have cost its fee. */
export type JournalKind = 'settlement' | 'refusal' | 'grant' | 'debit';

/** One movement of money. It is appended in the commit that makes it, and never changed. */
export interface JournalEntry {
  readonly kind: JournalKind;
  /** The key of the payment, or the id of the debit: there is one entry of a kind for each. */
  readonly id: string;
  /** CAIP-2. */
  readonly network: string;
  readonly wallet: string;
  /** Millionths of a dollar. */
  readonly micros: number;
  /** What the gateway's own fee payer has paid for it; 0 where nothing was sent, or a remote facilitator pays. */
  readonly feeLamports: number;
  /** base58 signature of its transaction, of a refused one too; empty where it is not known. */
  readonly transaction: string;
  /** The route that was asked for; empty where that is not known. */
  readonly route: string;
  readonly requestId: string;
  /** The process that has written it. */
  readonly node: string;
  /** Written afterwards, from what the chain shows. */
  readonly isRepair?: true;
}

/** An entry as it is kept. */
export interface KeptEntry extends JournalEntry {
  /** When it was appended, by the store's clock in whole milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** What an entry adds to the credit that is owed on its network, in millionths of a dollar: less than 0 where some was spent. */
export const owedBy = ({ kind, micros }: JournalEntry): number =>
  kind === 'grant' ? micros : kind === 'debit' ? -micros : 0;

/** How long entries are kept unless told, in milliseconds. */
export const JOURNAL_KEEP_MS = 400 * 86_400_000;
