import { setTimeout as sleep } from 'node:timers/promises';
import type { Processed } from './facilitator.ts';

/** What has happened at the RPC during one call of the facilitator. */
export interface SimulationRun {
  /** Whether something was sent to the network. After that a failure proves nothing. */
  sent: boolean;
  /** A fault of the RPC, which is not the payment's. */
  fault?: string;
  /** Whether the fee payer cannot pay the fee, which is not the payment's fault either. */
  feePayerIsEmpty?: boolean;
  /** Whether the payment has landed already, as far as the simulation shows. */
  processed?: Processed;
  /** Whether the chain shows the transaction with an error. */
  failedOnChain?: boolean;
}

const YOUNG_BLOCKHASH_MS = 800;
const SIMULATED = 'Simulation failed: ';

/** Errors of the account that pays the fee, which is the transaction's first. */
const FEE_PAYER_ERRORS = new Set([
  '"AccountNotFound"',
  '"InsufficientFundsForFee"',
  '"InvalidAccountForFee"',
  '{"InsufficientFundsForRent":{"account_index":0}}',
]);

/** Errors of a transaction that has landed: the second one after its blockhash has expired. */
const PROCESSED_ERRORS: ReadonlyMap<string, Processed> = new Map([
  ['"AlreadyProcessed"', 'yes'],
  ['"BlockhashNotFound"', 'maybe'],
]);

/** Simulates, again if the RPC does not know the blockhash yet, and notes what a failure means. */
export async function simulate(once: () => Promise<void>, run: SimulationRun): Promise<void> {
  try {
    await once().catch(async (error: Error) => {
      if (error.message !== `${SIMULATED}"BlockhashNotFound"`) throw error;
      await sleep(YOUNG_BLOCKHASH_MS);
      await once();
    });
  } catch (error) {
    const { message } = error as Error;
    const reason = message.startsWith(SIMULATED) ? message.slice(SIMULATED.length) : undefined;
    if (reason === undefined) run.fault = 'the RPC could not simulate';
    else if (FEE_PAYER_ERRORS.has(reason)) run.feePayerIsEmpty = true;
    else run.processed = PROCESSED_ERRORS.get(reason) ?? 'no';
    throw error;
  }
}
