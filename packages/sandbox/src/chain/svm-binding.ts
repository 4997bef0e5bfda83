import { createRequire } from 'node:module';
// Both lists are in the order of the runtime's enumerations.
import ERRORS from './svm-errors.json' with { type: 'json' };

function instructionError(error: InstructionError): unknown {
  if (typeof error === 'number') return ERRORS.instruction[error] ?? 'GenericError';
  return 'code' in error ? { Custom: error.code } : { BorshIoError: error.msg };
}

/** Returns the runtime's error as JSON-RPC. */
export function errorJson(error: SvmError): unknown {
  if (typeof error === 'number') return ERRORS.transaction[error] ?? 'SanitizeFailure';
  if ('err' in error) return { InstructionError: [error.index, instructionError(error.err())] };
  if ('accountIndex' in error) {
    const name = error.constructor.name.replace(/^TransactionError/, '');
    return { [name]: { account_index: error.accountIndex } };
  }
  return { DuplicateInstruction: error.index };
}

/** Bytes of an address. */
type Address = Uint8Array;

/** An account in the binding. */
export interface BoundAccount {
  lamports(): bigint;
  data(): Uint8Array;
  owner(): Address;
  executable(): boolean;
}

/** The effects of a transaction. */
export interface TransactionMetadata {
  logs(): string[];
  computeUnitsConsumed(): bigint;
  toString(): string;
}

/** Why an instruction failed: an index into the runtime's enumeration, or details. */
type InstructionError = number | { readonly code: number } | { readonly msg: string };

/** Why a transaction failed, in the same form. */
type SvmError =
  | number
  | { readonly index: number; err(): InstructionError }
  | { readonly accountIndex: number }
  | { readonly index: number };

/** A transaction that failed. */
interface FailedTransaction {
  err(): SvmError;
  meta(): TransactionMetadata;
}

/** A simulation that succeeded. */
interface Simulation {
  meta(): TransactionMetadata;
  postAccounts(): readonly unknown[];
}

/** The runtime of litesvm. */
interface Runtime {
  setSigverify(verifies: boolean): void;
  setBlockhashCheck(checks: boolean): void;
  setTransactionHistory(capacity: bigint): void;
  minimumBalanceForRentExemption(size: bigint): bigint;
  getAccount(address: Address): BoundAccount | null;
  getProgramAccounts(program: Address): { readonly address: Address; account(): BoundAccount }[];
  setAccount(address: Address, account: BoundAccount): void;
  addProgram(program: Address, file: Uint8Array): void;
  // These read legacy transactions too.
  sendVersionedTransaction(wire: Uint8Array): TransactionMetadata | FailedTransaction;
  simulateVersionedTransaction(wire: Uint8Array): Simulation | FailedTransaction;
  getClock(): object;
  setClock(clock: object): void;
}

interface Binding {
  readonly LiteSvm: new () => Runtime;
  readonly Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Address,
    isExecutable: boolean,
    rentEpoch: bigint,
  ) => BoundAccount;
}

const C_LIBRARIES = ['-gnu', '-musl'];

/** Loads litesvm's build for this machine. The package `litesvm` itself depends on a second kit, which does not support Node 20. */
function load(): Binding {
  const require = createRequire(import.meta.url);
  const name = `litesvm-${process.platform}-${process.arch}`;
  const faults: unknown[] = [];
  for (const library of process.platform === 'linux' ? C_LIBRARIES : ['']) {
    try {
      return require(name + library) as Binding;
    } catch (fault) {
      faults.push(fault);
    }
  }
  throw new AggregateError(faults, `${name} is not installed: the sandbox's chains cannot run on this machine`);
}

export const { LiteSvm, Account } = load();
