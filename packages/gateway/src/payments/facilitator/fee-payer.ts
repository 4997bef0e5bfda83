import { clusterOfNetwork } from '@asset-gateway/protocol';
import type { Background, Repeated } from '../../background.ts';
import { closeAll } from '../../closing.ts';
import { LIMITS } from '../../limits.ts';
import { type FeeCharge, isKnownPayer, type NewPayment } from '../record.ts';
import type { StoredState } from '../rows.ts';
import type { Chain, Chains } from './chain.ts';
import type { Facilitator } from './facilitator.ts';

/** The reason of a refusal. */
export const BUDGET_USED_UP = 'the hourly fee budget is used up';

/** The charge of a settlement against the fee budget; undefined if a remote facilitator pays. */
export function feeChargeOf(
  facilitator: Facilitator,
  payment: NewPayment,
  { paidOnMainnet }: Pick<StoredState, 'paidOnMainnet'>,
  nowMs: number,
): FeeCharge | undefined {
  const { network, feeLamports: lamports } = payment;
  const limit = facilitator.feeBudgetPerHour;
  const feePayer = facilitator.feePayer(network);
  if (limit === undefined || feePayer === undefined) return undefined;
  const isNewPayer = !isKnownPayer(paidOnMainnet, nowMs);
  return { feePayer: feePayerName(network, feePayer), lamports, limit, isNewPayer };
}

/** Whether the gateway's own fee payer pays. A remote facilitator pays its own fees, and other shops may share its fee payer. */
export const hasOwnFeePayer = ({ feeBudgetPerHour }: Facilitator): boolean => feeBudgetPerHour !== undefined;

/** Each network has its own fee budget, because devnet's fees cost nothing. */
export const feePayerName = (network: string, feePayer: string): string => `${network}:${feePayer}`;

/** Whether the fee budget suffices after what was spent within the hour. New payers share a part of it. */
export function fitsBudget({ lamports, limit, isNewPayer }: FeeCharge, spent: StoredState['fees']): boolean {
  if (spent.all + lamports > limit) return false;
  return !isNewPayer || spent.ofNewPayers + lamports <= limit * LIMITS.newPayersShare;
}

/** The fee payer's balance on a cluster; undefined if the chain did not answer. */
export interface FeePayerBalance {
  readonly cluster: string;
  readonly lamports: number | undefined;
}

/** Reads the fee payer's balance on each chain. */
export function feePayerReader(facilitator: Facilitator, chains: Chains, background: Background) {
  const read = async ([network, chain]: [string, Chain]): Promise<FeePayerBalance> => {
    const lamports = await background.run('fee_payers', async () => {
      const account = await chain.account(facilitator.feePayer(network) ?? '');
      return account?.lamports ?? 0;
    });
    return { cluster: clusterOfNetwork(network), lamports };
  };
  return () => Promise.all([...chains].map(read));
}

/** The balance with which a fee payer can pay again: the rent of its account, and the highest fee. */
const ENOUGH_LAMPORTS = 890_880 + 20_000;
const POLL_MS = 5_000;

interface FeePayerWatching {
  /** By network. */
  readonly chains: Chains;
  readonly notice: (message: string) => void;
  readonly background: Background;
}

/** Knows on which networks the fee payer has run out of SOL, and polls until it has enough again. */
export function watchFeePayer(address: string, { chains, notice, background }: FeePayerWatching) {
  const empty = new Map<string, Repeated>();
  const poll = async (network: string): Promise<void> => {
    const account = await chains.get(network)?.account(address);
    if ((account?.lamports ?? 0) < ENOUGH_LAMPORTS) return;
    void empty.get(network)?.close();
    empty.delete(network);
    notice(`the fee payer holds SOL on ${network} again: paid routes there are open`);
  };
  return {
    isEmpty: (network: string): boolean => empty.has(network),
    /** Notes that the chain has rejected a transaction because the fee payer cannot pay. */
    ranOut(network: string): void {
      if (empty.has(network)) return;
      notice(`the fee payer ${address} cannot pay fees on ${network}: paid routes there are closed until it holds SOL`);
      empty.set(
        network,
        background.every('fee_payers', POLL_MS, () => poll(network)),
      );
    },
    close: () => closeAll([...empty.values()]),
  };
}
