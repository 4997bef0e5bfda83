import { getTransactionDecoder } from '@solana/kit';
import bs58 from 'bs58';
import { FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm';
import { SYSTEM_PROGRAM } from './addresses.ts';
import type { Json } from './json.ts';
import { errorJson } from './svm-errors.ts';

/** An account as the runtime holds it. */
export interface Account {
  readonly address: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: string;
  readonly executable: boolean;
}

/** An instruction that another instruction called; the indexes point into the transaction's keys. */
export interface InnerInstruction {
  readonly outer: number;
  readonly programIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
  readonly depth: number;
}

/** What running a transaction came to; `err` is null when it succeeded. */
export interface Outcome {
  readonly err: Json;
  readonly logs: readonly string[];
  readonly units: bigint;
  readonly fee: bigint;
  readonly inner: readonly InnerInstruction[];
  readonly returned: { readonly program: string; readonly data: Uint8Array } | null;
  /** The accounts as they would be; of a simulation that succeeded only. */
  readonly after: readonly Account[];
}

/** The real runtime and token program, in process. */
export interface Svm {
  account(address: string): Account | undefined;
  setAccount(account: Account): void;
  programAccounts(program: string): Account[];
  rent(size: bigint): bigint;
  /** Runs without keeping anything and without looking at signatures. */
  simulate(wire: Uint8Array): Outcome;
  execute(wire: Uint8Array): Outcome;
  setClock(slot: bigint, unixSeconds: bigint): void;
}

type EncodedAccount = Parameters<LiteSVM['setAccount']>[0];
type SvmAddress = EncodedAccount['address'];

const toAccount = (account: EncodedAccount): Account => ({
  address: account.address,
  lamports: account.lamports,
  data: Uint8Array.from(account.data),
  owner: account.programAddress,
  executable: account.executable,
});

const toEncoded = ({ address, lamports, data, owner, executable }: Account): EncodedAccount => ({
  address: address as SvmAddress,
  lamports: lamports as EncodedAccount['lamports'],
  data,
  programAddress: owner as SvmAddress,
  executable,
  space: BigInt(data.length),
});

// The binding has no getter for the fee; its text form does name it.
const feeOf = (meta: TransactionMetadata): bigint => BigInt(/ fee: (\d{1,20}) /.exec(meta.toString())?.[1] ?? 0);

const innerOf = (meta: TransactionMetadata): InnerInstruction[] =>
  meta.innerInstructions().flatMap((calls, outer) =>
    calls.map((call) => ({
      outer,
      programIndex: call.instruction().programIdIndex(),
      accounts: [...call.instruction().accounts()],
      data: Uint8Array.from(call.instruction().data()),
      depth: call.stackHeight(),
    })),
  );

function outcomeOf(meta: TransactionMetadata, err: Json, after: readonly Account[]): Outcome {
  const returned = meta.returnData();
  const data = Uint8Array.from(returned.data());
  const program = bs58.encode(returned.programId());
  return {
    err,
    logs: meta.logs(),
    units: meta.computeUnitsConsumed(),
    fee: feeOf(meta),
    inner: innerOf(meta),
    returned: data.length === 0 ? null : { program, data },
    after,
  };
}

// The binding knows a single blockhash, so the chain keeps its own.
const newRuntime = (): LiteSVM => new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n);

let untouched: LiteSVM | undefined;
/** A runtime in which nothing has happened, to read from; making one takes longer than most of what is asked of it. */
const untouchedRuntime = (): LiteSVM => {
  untouched ??= newRuntime();
  return untouched;
};

const accountIn = (runtime: LiteSVM, address: string): Account | undefined => {
  const found = runtime.getAccount(address as SvmAddress);
  return found.exists ? toAccount(found) : undefined;
};

/** The accounts of a chain on which no transaction has run yet, and the runtime as soon as one does. */
class Accounts {
  readonly #given = new Map<string, Account>();
  #runtime: LiteSVM | undefined;

  /** The runtime, with every account in it. */
  get runtime(): LiteSVM {
    if (!this.#runtime) {
      this.#runtime = newRuntime();
      for (const account of this.#given.values()) this.#runtime.setAccount(toEncoded(account));
      this.#given.clear();
    }
    return this.#runtime;
  }

  get(address: string): Account | undefined {
    const found = this.#given.get(address) ?? accountIn(this.#runtime ?? untouchedRuntime(), address);
    // An emptied account is no account.
    return found && (found.lamports > 0n || found.data.length > 0) ? found : undefined;
  }

  set(account: Account): void {
    if (this.#runtime) this.#runtime.setAccount(toEncoded(account));
    else this.#given.set(account.address, account);
  }

  ofProgram(program: string): Account[] {
    const runtime = this.#runtime ?? untouchedRuntime();
    const others = runtime.getProgramAccounts(program as SvmAddress).map(toAccount);
    const given = [...this.#given.values()].filter(({ owner }) => owner === program);
    return [...others.filter(({ address }) => !this.#given.has(address)), ...given];
  }
}

/** A fresh chain's state; blockhashes and repeated transactions are the caller's to refuse. */
export function createSvm(): Svm {
  const accounts = new Accounts();
  const decoder = getTransactionDecoder();
  return {
    account: (address) => accounts.get(address),
    setAccount: (account) => accounts.set(account),
    programAccounts: (program) => (program === SYSTEM_PROGRAM ? [] : accounts.ofProgram(program)),
    rent: (size) => untouchedRuntime().minimumBalanceForRentExemption(size),
    simulate(wire) {
      const svm = accounts.runtime;
      svm.withSigverify(false);
      try {
        const result = svm.simulateTransaction(decoder.decode(wire));
        return result instanceof FailedTransactionMetadata
          ? outcomeOf(result.meta(), errorJson(result.err()), [])
          : outcomeOf(result.meta(), null, result.postAccounts().map(toAccount));
      } finally {
        svm.withSigverify(true);
      }
    },
    execute(wire) {
      const result = accounts.runtime.sendTransaction(decoder.decode(wire));
      return result instanceof FailedTransactionMetadata
        ? outcomeOf(result.meta(), errorJson(result.err()), [])
        : outcomeOf(result, null, []);
    },
    setClock(slot, unixSeconds) {
      const clock = accounts.runtime.getClock();
      clock.slot = slot;
      clock.unixTimestamp = unixSeconds;
      clock.epoch = slot / 432_000n;
      accounts.runtime.setClock(clock);
    },
  };
}
