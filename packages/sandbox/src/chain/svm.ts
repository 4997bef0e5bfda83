import bs58 from 'bs58';
import { SYSTEM_PROGRAM } from './addresses.ts';
import { LIGHTHOUSE_PROGRAM, lighthouseFile } from './lighthouse.ts';
import * as binding from './svm-binding.ts';

/** An account of the runtime. */
export interface Account {
  readonly address: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: string;
  readonly executable: boolean;
}

/** A transaction's result. `err` is null on success. */
export interface Outcome {
  readonly err: unknown;
  readonly logs: readonly string[];
  readonly units: bigint;
  readonly fee: bigint;
}

const toAccount = (address: string, account: binding.BoundAccount): Account => ({
  address,
  lamports: account.lamports(),
  data: Uint8Array.from(account.data()),
  owner: bs58.encode(account.owner()),
  executable: account.executable(),
});

const outcomeOf = (meta: binding.TransactionMetadata, err: unknown): Outcome => ({
  err,
  logs: meta.logs(),
  units: meta.computeUnitsConsumed(),
  // The binding has no getter for the fee, but prints it.
  fee: BigInt(/ fee: (\d{1,20}) /.exec(meta.toString())?.[1] ?? 0),
});

/**
 * The state of a chain, in this process: the real runtime and token program, and a stand-in for Lighthouse. The caller checks blockhashes
 * and repeated transactions.
 */
export class Svm {
  readonly #runtime = new binding.LiteSvm();

  constructor() {
    // The binding supports one blockhash, so the chain keeps its own.
    this.#runtime.setBlockhashCheck(false);
    this.#runtime.setTransactionHistory(0n);
    this.#runtime.addProgram(bs58.decode(LIGHTHOUSE_PROGRAM), lighthouseFile());
  }

  account(address: string): Account | undefined {
    const found = this.#runtime.getAccount(bs58.decode(address));
    const account = found && toAccount(address, found);
    // An empty account does not exist.
    return account && (account.lamports > 0n || account.data.length > 0) ? account : undefined;
  }

  setAccount({ address, lamports, data, owner, executable }: Account): void {
    const account = new binding.Account(lamports, data, bs58.decode(owner), executable, 0n);
    this.#runtime.setAccount(bs58.decode(address), account);
  }

  programAccounts(program: string): Account[] {
    if (program === SYSTEM_PROGRAM) return [];
    const found = this.#runtime.getProgramAccounts(bs58.decode(program));
    return found.map((each) => toAccount(bs58.encode(each.address), each.account()));
  }

  rent(size: number): bigint {
    return this.#runtime.minimumBalanceForRentExemption(BigInt(size));
  }

  /** Runs a transaction without changes and signature checks. */
  simulate(wire: Uint8Array): Outcome {
    this.#runtime.setSigverify(false);
    try {
      const result = this.#runtime.simulateVersionedTransaction(wire);
      return outcomeOf(result.meta(), 'postAccounts' in result ? null : binding.errorJson(result.err()));
    } finally {
      this.#runtime.setSigverify(true);
    }
  }

  execute(wire: Uint8Array): Outcome {
    const result = this.#runtime.sendVersionedTransaction(wire);
    return 'err' in result ? outcomeOf(result.meta(), binding.errorJson(result.err())) : outcomeOf(result, null);
  }

  setClock(slot: bigint, unixSeconds: bigint): void {
    const clock = this.#runtime.getClock();
    this.#runtime.setClock(Object.assign(clock, { slot, unixTimestamp: unixSeconds, epoch: slot / 432_000n }));
  }
}
