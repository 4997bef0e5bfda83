import { NETWORKS } from '@asset-gateway/protocol';
import type { FeePayerReading, Readings } from '../../metrics/readings.ts';
import { readTransaction } from '../read/transaction.ts';
import { feeLamports, MAX_FEE_LAMPORTS } from '../read/transfer.ts';
import { type FeeCharge, PAYMENTS } from '../record.ts';
import type { Chain } from './chain.ts';
import type { Facilitator, Payment } from './facilitator.ts';

/** Why a payment is not taken. */
export const BUDGET_USED_UP = 'the hourly fee budget is used up';

/** What a payment costs its fee payer in lamports, from the transaction itself. */
export function feeOf({ transaction }: Payment): number {
  const read = readTransaction(Buffer.from(transaction, 'base64'));
  return read ? feeLamports(read) : MAX_FEE_LAMPORTS;
}

/** What settling a payment counts against the budget of fees; undefined if another facilitator pays. */
export function feeChargeOf(facilitator: Facilitator, payment: Payment, isNewPayer: boolean): FeeCharge | undefined {
  const limit = facilitator.feeBudgetPerHour;
  const feePayer = facilitator.feePayer(payment.network);
  if (limit === undefined || feePayer === undefined) return undefined;
  return {
    feePayer: feePayerName(payment.network, feePayer),
    lamports: facilitator.feeLamports(payment),
    limit,
    isNewPayer,
  };
}

/** Devnet's fees cost nothing, so that they take nothing from mainnet's. */
export const feePayerName = (network: string, feePayer: string): string => `${network}:${feePayer}`;

/** Whether a fee fits beside what was spent within the hour. All payers that are not known share a part of the budget. */
export function fitsBudget(
  { lamports, limit, isNewPayer }: FeeCharge,
  spent: { readonly all: number; readonly ofNewPayers: number },
): boolean {
  if (spent.all + lamports > limit) return false;
  return !isNewPayer || spent.ofNewPayers + lamports <= limit * PAYMENTS.newPayersShare;
}

/** Asks each chain what its fee payer holds. */
export function feePayerReader(facilitator: Facilitator, chains: ReadonlyMap<string, Chain>): Readings['feePayers'] {
  const read = async (cluster: string, network: string): Promise<FeePayerReading> => {
    const address = facilitator.feePayer(network);
    const asked = address === undefined ? undefined : chains.get(network)?.account(address);
    // An account that is not there holds nothing; one that could not be asked for holds nobody knows what.
    return { cluster, lamports: await asked?.then((account) => account?.lamports ?? 0).catch(() => undefined) };
  };
  const clusters = Object.entries(NETWORKS).filter(([, network]) => chains.has(network));
  return () => Promise.all(clusters.map(([cluster, network]) => read(cluster, network)));
}

/** What a fee payer must hold to pay fees again: the rent of its account, and the dearest fee. */
const ENOUGH_LAMPORTS = 890_880 + 20_000;
const POLL_MS = 5_000;

/** Remembers on which networks the fee payer has run out of SOL, and asks until it has some again. */
export class FeePayerWatch {
  readonly #address: string;
  readonly #chains: ReadonlyMap<string, Chain>;
  readonly #notice: (message: string) => void;
  readonly #empty = new Map<string, NodeJS.Timeout>();

  constructor(address: string, chains: ReadonlyMap<string, Chain>, notice: (message: string) => void) {
    this.#address = address;
    this.#chains = chains;
    this.#notice = notice;
  }

  isEmpty(network: string): boolean {
    return this.#empty.has(network);
  }

  /** The chain has refused a transaction because of the fee payer. */
  ranOut(network: string): void {
    if (this.#empty.has(network)) return;
    this.#notice(
      `the fee payer ${this.#address} cannot pay fees on ${network}: nothing is sold there until it holds SOL`,
    );
    this.#empty.set(network, setInterval(() => void this.#look(network), POLL_MS).unref());
  }

  close(): void {
    for (const timer of this.#empty.values()) clearInterval(timer);
  }

  async #look(network: string): Promise<void> {
    const account = await this.#chains
      .get(network)
      ?.account(this.#address)
      .catch(() => undefined);
    if ((account?.lamports ?? 0) < ENOUGH_LAMPORTS || !this.#empty.has(network)) return;
    clearInterval(this.#empty.get(network));
    this.#empty.delete(network);
    this.#notice(`the fee payer holds SOL on ${network} again: its routes are sold`);
  }
}
