/** Limits of a payment's cost where a 402 names none: the fee in lamports and the compute units. */
export const PAYMENT_LIMITS = { maxFeeLamports: 20_000, maxComputeUnits: 200_000 } as const;

const LAMPORTS_PER_SIGNATURE = 5_000;
const MICRO_LAMPORTS = 1_000_000;

/** The parts of a transaction's fee. */
export interface TransactionCost {
  readonly signatures: number;
  readonly computeUnits: number;
  /** The priority price of a compute unit. */
  readonly microLamports: number;
}

/** The fee of a transaction in lamports: its signatures, and its priority price for all of its compute units. */
export const feeLamports = ({ signatures, computeUnits, microLamports }: TransactionCost): number =>
  signatures * LAMPORTS_PER_SIGNATURE + Math.ceil((computeUnits * microLamports) / MICRO_LAMPORTS);

/** The program whose checks wallets add to transactions: a check that fails ends the transaction. */
const LIGHTHOUSE = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';

/** Its instructions that only read accounts: AssertAccountData to AssertSysvarClock. Others write memory or call other programs. */
const ASSERTIONS = { first: 2, last: 15 } as const;

/** Whether an instruction is a wallet's check, which can neither move nor write anything. */
export const isGuard = (program: string, [kind = 0]: Iterable<number>): boolean =>
  program === LIGHTHOUSE && kind >= ASSERTIONS.first && kind <= ASSERTIONS.last;
