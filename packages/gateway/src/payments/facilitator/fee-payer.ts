import { clusterOfNetwork } from '@asset-gateway/protocol';
import { type FeeCharge, type NewPayment, PAYMENTS } from '../record.ts';
import type { StoredState } from '../rows.ts';
import type { Chain } from './chain.ts';
import type { Facilitator } from './facilitator.ts';

/** The reason of a refusal. */
export const BUDGET_USED_UP = 'the hourly fee budget is used up';

/** The charge of a settlement against the fee budget; undefined if a remote facilitator pays. */
export function feeChargeOf(facilitator: Facilitator, payment: NewPayment, isNewPayer: boolean): FeeCharge | undefined {
  const { network, feeLamports: lamports } = payment;
  const limit = facilitator.feeBudgetPerHour;
  const feePayer = facilitator.feePayer(network);
  if (limit === undefined || feePayer === undefined) return undefined;
  return { feePayer: feePayerName(network, feePayer), lamports, limit, isNewPayer };
}

/** Each network has its own fee budget, because devnet's fees cost nothing. */
export const feePayerName = (network: string, feePayer: string): string => `${network}:${feePayer}`;

/** Whether the fee budget suffices after what was spent within the hour. New payers share a part of it. */
export function fitsBudget({ lamports, limit, isNewPayer }: FeeCharge, spent: StoredState['fees']): boolean {
  if (spent.all + lamports > limit) return false;
  return !isNewPayer || spent.ofNewPayers + lamports <= limit * PAYMENTS.newPayersShare;
}

/** The fee payer's balance on a cluster; undefined if the chain did not answer. */
export interface FeePayerBalance {
  readonly cluster: string;
  readonly lamports: number | undefined;
}

/** Reads the fee payer's balance on each chain. */
export function feePayerReader(facilitator: Facilitator, chains: ReadonlyMap<string, Chain>) {
  const read = async ([network, chain]: [string, Chain]): Promise<FeePayerBalance> => {
    const account = chain.account(facilitator.feePayer(network) ?? '');
    // A missing account holds 0 lamports; undefined if the RPC does not answer.
    const lamports = await account.then((found) => found?.lamports ?? 0).catch(() => undefined);
    return { cluster: clusterOfNetwork(network), lamports };
  };
  return () => Promise.all([...chains].map(read));
}

/** The balance with which a fee payer can pay again: the rent of its account, and the highest fee. */
const ENOUGH_LAMPORTS = 890_880 + 20_000;
const POLL_MS = 5_000;

/** Knows on which networks the fee payer has run out of SOL, and polls until it has enough again. */
export function watchFeePayer(address: string, chains: ReadonlyMap<string, Chain>, notice: (message: string) => void) {
  const empty = new Map<string, NodeJS.Timeout>();
  const poll = async (network: string): Promise<void> => {
    const asked = chains.get(network)?.account(address);
    const account = await asked?.catch(() => undefined);
    if ((account?.lamports ?? 0) < ENOUGH_LAMPORTS || !empty.has(network)) return;
    clearInterval(empty.get(network));
    empty.delete(network);
    notice(`the fee payer holds SOL on ${network} again: paid routes there are open`);
  };
  return {
    isEmpty: (network: string): boolean => empty.has(network),
    /** Notes that the chain has rejected a transaction because the fee payer cannot pay. */
    ranOut(network: string): void {
      if (empty.has(network)) return;
      notice(`the fee payer ${address} cannot pay fees on ${network}: paid routes there are closed until it holds SOL`);
      empty.set(network, setInterval(() => void poll(network), POLL_MS).unref());
    },
    close(): void {
      for (const timer of empty.values()) clearInterval(timer);
    },
  };
}
