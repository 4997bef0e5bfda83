import { setTimeout as sleep } from 'node:timers/promises';
import type { Processed } from './facilitator.ts';

/** What has happened at the RPC during one call of the facilitator. */
export interface Course {
  /** Something was sent to the network: from then on a failure proves nothing. */
  sent: boolean;
  /** The RPC itself failed, which is never the payment's fault. */
  fault?: string;
  /** The fee payer cannot pay the fee, which is not the payment's fault either. */
  feePayerIsEmpty?: boolean;
  /** What the simulation says of whether the chain has taken the payment already. */
  processed?: Processed;
  /** The chain shows the transaction with an error. */
  failedOnChain?: boolean;
}

const YOUNG_BLOCKHASH_MS = 800;
const SIMULATED = 'Simulation failed: ';

/** What the runtime says of the account that pays the fee: the first one of the transaction. */
const FEE_PAYER_ERRORS = new Set([
  '"AccountNotFound"',
  '"InsufficientFundsForFee"',
  '"InvalidAccountForFee"',
  '{"InsufficientFundsForRent":{"account_index":0}}',
]);

/** A transaction that has landed is told as such for as long as its blockhash is good, and by its blockhash after that. */
const PROCESSED_ERRORS: ReadonlyMap<string, Processed> = new Map([
  ['"AlreadyProcessed"', 'yes'],
  ['"BlockhashNotFound"', 'maybe'],
]);

/** Simulates, once more where our RPC does not know the blockhash yet, and notes what a failure means. */
export async function simulate(once: () => Promise<void>, course: Course): Promise<void> {
  try {
    await once().catch(async (error: Error) => {
      if (error.message !== `${SIMULATED}"BlockhashNotFound"`) throw error;
      await sleep(YOUNG_BLOCKHASH_MS);
      await once();
    });
  } catch (error) {
    const { message } = error as Error;
    const reason = message.startsWith(SIMULATED) ? message.slice(SIMULATED.length) : undefined;
    if (reason === undefined) course.fault = 'the RPC could not simulate';
    else if (FEE_PAYER_ERRORS.has(reason)) course.feePayerIsEmpty = true;
    else course.processed = PROCESSED_ERRORS.get(reason) ?? 'no';
    throw error;
  }
}
