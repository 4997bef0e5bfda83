import { PROGRAMS } from './programs.ts';

/** Limits of a payment's cost if a 402 names none: the fee in lamports, and the compute units. */
export const PAYMENT_LIMITS = { maxFeeLamports: 20_000, maxComputeUnits: 400_000 } as const;

const LAMPORTS_PER_SIGNATURE = 5_000;
const MICRO_LAMPORTS = 1_000_000;

/** The parts of a transaction's fee. */
export interface TransactionCost {
  /** How many signatures the transaction has. */
  readonly signatures: number;
  /** How many compute units it may use. */
  readonly computeUnits: number;
  /** The priority price of a compute unit, in millionths of a lamport. */
  readonly microLamports: number;
}

/** Returns a transaction's fee in lamports, for its signatures and for the priority of all its compute units. */
export const feeLamports = ({ signatures, computeUnits, microLamports }: TransactionCost): number =>
  signatures * LAMPORTS_PER_SIGNATURE + Math.ceil((computeUnits * microLamports) / MICRO_LAMPORTS);

/** The program of the checks that wallets add to transactions. If a check fails, the transaction fails. */
const LIGHTHOUSE = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';

/**
 * The first bytes of its instructions that only read accounts. Its other instructions write (0) and close (1) memory
 * with a payer's signature, read the time (15), which no simulation can predict, or concern other programs (16, 17).
 * Source: programs/lighthouse/src/instruction.rs of https://github.com/Jac0xb/lighthouse.
 */
const ASSERTIONS = { first: 2, last: 14 } as const;

/** Programs that use no account but signers. Their instructions could name any account. */
const WITHOUT_ACCOUNTS: readonly string[] = [PROGRAMS.computeBudget, PROGRAMS.memo];

/** An instruction with the addresses of its accounts. */
interface AddressedInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Iterable<number>;
}

function isAssertion({ program, data: [kind = 0] }: AddressedInstruction): boolean {
  return program === LIGHTHOUSE && kind >= ASSERTIONS.first && kind <= ASSERTIONS.last;
}

/**
 * Returns the instructions of a payment without guards, the checks that wallets add. A guard uses no signature and writes nothing. It may
 * be about the signers and about what the other instructions name and use. The payer may know that any other account, such as the clock's,
 * changes between the simulation and the block, where a failed check costs the fee payer its fee.
 */
export function withoutGuards<Each extends AddressedInstruction>(
  instructions: readonly Each[],
  signers: readonly string[],
): readonly Each[] {
  const others = instructions.filter((each) => !isAssertion(each));
  const used = others.flatMap(({ program, accounts }) => (WITHOUT_ACCOUNTS.includes(program) ? [] : accounts));
  const named = new Set([...signers, ...others.map(({ program }) => program), ...used]);
  return instructions.filter((each) => !isAssertion(each) || each.accounts.some((account) => !named.has(account)));
}
