/** What tells upstreams apart; one that knows no clusters has none. */
export interface LaneName {
  readonly provider: string;
  readonly cluster?: string;
  readonly surface: string;
}

/** One upstream, as it stands now. */
export interface LaneReading extends LaneName {
  /** Slots of its budget. */
  readonly left: number;
  readonly limit: number;
  /** Whether it is left alone because it keeps failing. */
  readonly isLeftAlone: boolean;
}

/** What the fee payer of a cluster holds; nothing when the chain did not say. */
export interface FeePayerReading {
  readonly cluster: string;
  readonly lamports: number | undefined;
}

/** What is looked up, where a log line does not say it. None of these rejects. */
export interface Readings {
  isReady(): boolean;
  lanes(): readonly LaneReading[];
  /** Payments whose outcome is not known; nothing when the store did not say. */
  openPayments(): Promise<number | undefined>;
  feePayers(): Promise<readonly FeePayerReading[]>;
}
