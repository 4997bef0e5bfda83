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

/** A fresh runtime; blockhashes and repeated transactions are the caller's to refuse. */
export function createSvm(): Svm {
  // The binding knows a single blockhash, so the chain keeps its own.
  const svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n);
  const decoder = getTransactionDecoder();
  return {
    account(address) {
      const found = svm.getAccount(address as SvmAddress);
      // An emptied account is no account.
      return found.exists && (found.lamports > 0n || found.data.length > 0) ? toAccount(found) : undefined;
    },
    setAccount: (account) => svm.setAccount(toEncoded(account)),
    programAccounts: (program) =>
      program === SYSTEM_PROGRAM ? [] : svm.getProgramAccounts(program as SvmAddress).map(toAccount),
    rent: (size) => svm.minimumBalanceForRentExemption(size),
    simulate(wire) {
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
      const result = svm.sendTransaction(decoder.decode(wire));
      return result instanceof FailedTransactionMetadata
        ? outcomeOf(result.meta(), errorJson(result.err()), [])
        : outcomeOf(result, null, []);
    },
    setClock(slot, unixSeconds) {
      const clock = svm.getClock();
      clock.slot = slot;
      clock.unixTimestamp = unixSeconds;
      clock.epoch = slot / 432_000n;
      svm.setClock(clock);
    },
  };
}
