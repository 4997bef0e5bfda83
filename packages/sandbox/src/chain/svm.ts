import bs58 from 'bs58';
import { SYSTEM_PROGRAM } from './addresses.ts';
import type { Json } from './json.ts';
import * as binding from './svm-binding.ts';
import { errorJson } from './svm-binding.ts';

/** An account of the runtime. */
export interface Account {
  readonly address: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: string;
  readonly executable: boolean;
}

/** The result of a transaction; `err` is null on success. */
export interface Outcome {
  readonly err: Json;
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

const addressed = (each: binding.AddressedAccount): Account => toAccount(bs58.encode(each.address), each.account());

function put(runtime: binding.Runtime, { address, lamports, data, owner, executable }: Account): void {
  const account = new binding.Account(lamports, data, bs58.decode(owner), executable, 0n);
  runtime.setAccount(bs58.decode(address), account);
}

// The binding has no getter for the fee, but prints it.
const feeOf = (meta: binding.TransactionMetadata): bigint =>
  BigInt(/ fee: (\d{1,20}) /.exec(meta.toString())?.[1] ?? 0);

const outcomeOf = (meta: binding.TransactionMetadata, err: Json): Outcome => ({
  err,
  logs: meta.logs(),
  units: meta.computeUnitsConsumed(),
  fee: feeOf(meta),
});

function newRuntime(): binding.Runtime {
  const runtime = new binding.LiteSvm();
  // The binding supports one blockhash, so the chain keeps its own.
  runtime.setBlockhashCheck(false);
  runtime.setTransactionHistory(0n);
  return runtime;
}

let untouched: binding.Runtime | undefined;
/** A shared, unchanged runtime to read from: creating one takes longer than most calls. */
const untouchedRuntime = (): binding.Runtime => {
  untouched ??= newRuntime();
  return untouched;
};

const accountIn = (runtime: binding.Runtime, address: string): Account | undefined => {
  const found = runtime.getAccount(bs58.decode(address));
  return found ? toAccount(address, found) : undefined;
};

/**
 * The state of a chain: the real runtime and token program, in this process. Creates the runtime with the first transaction. The caller
 * checks blockhashes and repeated transactions.
 */
export class Svm {
  readonly #given = new Map<string, Account>();
  #created: binding.Runtime | undefined;

  /** The runtime with all accounts. */
  get #runtime(): binding.Runtime {
    if (!this.#created) {
      this.#created = newRuntime();
      for (const account of this.#given.values()) put(this.#created, account);
      this.#given.clear();
    }
    return this.#created;
  }

  account(address: string): Account | undefined {
    const found = this.#given.get(address) ?? accountIn(this.#created ?? untouchedRuntime(), address);
    // An empty account does not exist.
    return found && (found.lamports > 0n || found.data.length > 0) ? found : undefined;
  }

  setAccount(account: Account): void {
    if (this.#created) put(this.#created, account);
    else this.#given.set(account.address, account);
  }

  programAccounts(program: string): Account[] {
    if (program === SYSTEM_PROGRAM) return [];
    const runtime = this.#created ?? untouchedRuntime();
    const others = runtime.getProgramAccounts(bs58.decode(program)).map(addressed);
    const given = [...this.#given.values()].filter(({ owner }) => owner === program);
    return [...others.filter(({ address }) => !this.#given.has(address)), ...given];
  }

  rent(size: bigint): bigint {
    return untouchedRuntime().minimumBalanceForRentExemption(size);
  }

  /** Runs without changes and without signature checks. */
  simulate(wire: Uint8Array): Outcome {
    const runtime = this.#runtime;
    runtime.setSigverify(false);
    try {
      const result = runtime.simulateVersionedTransaction(wire);
      return 'postAccounts' in result
        ? outcomeOf(result.meta(), null)
        : outcomeOf(result.meta(), errorJson(result.err()));
    } finally {
      runtime.setSigverify(true);
    }
  }

  execute(wire: Uint8Array): Outcome {
    const result = this.#runtime.sendVersionedTransaction(wire);
    return 'err' in result ? outcomeOf(result.meta(), errorJson(result.err())) : outcomeOf(result, null);
  }

  setClock(slot: bigint, unixSeconds: bigint): void {
    const clock = this.#runtime.getClock();
    this.#runtime.setClock(Object.assign(clock, { slot, unixTimestamp: unixSeconds, epoch: slot / 432_000n }));
  }
}
