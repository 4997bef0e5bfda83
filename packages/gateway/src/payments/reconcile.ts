import type { Repeated } from '../background.ts';
import type { Crypto } from '../crypto.ts';
import { monotonicMs } from '../stores/clock.ts';
import { Recent } from '../tallies.ts';
import { TIMES } from '../times.ts';
import { type Chain, type Chains, DEAD_AFTER_BLOCKS, HISTORY, type Sighting, SKEW_MS } from './facilitator/chain.ts';
import {
  FAILED_ON_CHAIN,
  type Facilitator,
  isFeePayerSignature,
  type Payment,
  type Settlement,
} from './facilitator/facilitator.ts';
import type { Payments } from './payments.ts';
import { readTransaction } from './read/transaction.ts';
import { isOpenPayment, type PaymentRecord } from './record.ts';

/** Dependencies of the reconciler. */
interface ReconcilerDependencies {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  /** Without a chain only the facilitator is asked. */
  readonly chains: Chains;
  readonly crypto: Crypto;
  /** Called with the outcome of each settlement. */
  readonly onSettlement?: ((outcome: Settlement['outcome']) => void) | undefined;
}

/** The reason of a payment whose blockhash has expired. */
const EXPIRED = 'expired';

/** The status of a payment on the chain. */
export interface PaymentSighting extends Sighting {
  readonly signature: string | undefined;
  /** Whether the whole history was searched for it. */
  readonly isComplete: boolean;
}

/** The status if there is no RPC. */
export const MISSING: PaymentSighting = { signature: undefined, isComplete: false, status: 'missing', chainSlot: 0 };

/**
 * Resolves payments with an unknown outcome. It looks for the transaction on the chain and, if this process settles, sends it again
 * until it lands or expires. Without a chain it sends the payment to the facilitator again. A transaction moves money at most once.
 */
export class Reconciler {
  readonly #dependencies: ReconcilerDependencies;
  readonly #running = new Map<string, Promise<void>>();
  /** When expired payments were first found missing, by their key. */
  readonly #missing = new Recent<number>(TIMES.searchMs);
  readonly #sweeping: Repeated;
  #isClosed = false;

  constructor(dependencies: ReconcilerDependencies) {
    this.#dependencies = dependencies;
    this.#sweeping = dependencies.payments.background.every('reconciliation', TIMES.reconcileEachMs, async () => {
      const { payments, chains } = dependencies;
      for (const record of await payments.nextOpen((network) => chains.has(network))) void this.reconcile(record);
    });
  }

  /** Looks up all open payments. */
  sweep(): Promise<void> {
    return this.#sweeping.run();
  }

  /** Looks up one payment, whose record changes only on proof. Never rejects. */
  reconcile(record: PaymentRecord): Promise<void> {
    const running =
      this.#running.get(record.key) ?? this.#resolve(record).finally(() => this.#running.delete(record.key));
    this.#running.set(record.key, running);
    return running;
  }

  /** The present status of a payment on the chain; `missing` if there is no RPC. `minChainSlot`: what the node must have reached. */
  async look(record: PaymentRecord, chain: Chain | undefined, minSlot?: number): Promise<PaymentSighting> {
    if (!chain) return MISSING;
    if (record.signature !== undefined)
      return { signature: record.signature, isComplete: true, ...(await chain.status(record.signature)) };
    const { signature, isComplete } = await this.#signatureOf(chain, record, minSlot);
    if (signature === undefined) return { ...MISSING, isComplete, chainSlot: minSlot ?? 0 };
    return { signature, isComplete, ...(await chain.status(signature)) };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#sweeping.close();
  }

  async #resolve(record: PaymentRecord): Promise<void> {
    const { chains, payments, onSettlement } = this.#dependencies;
    const chain = chains.get(record.network);
    try {
      const proof = await (chain ? this.#ofChain(chain, record) : this.#ofFacilitator(record));
      if (!proof) return;
      const { verdict } = await payments.resolve(record.key, proof);
      if (verdict === 'done') onSettlement?.(proof.outcome);
    } catch (error) {
      // The record already says that the outcome is unknown. While the gateway closes, a search loses its connections.
      if (!this.#isClosed) payments.background.failed('reconciliation', error);
    }
  }

  async #ofChain(chain: Chain, record: PaymentRecord): Promise<Settlement | undefined> {
    // Read the block before the payment, because everything that landed before this block is final.
    const { height, chainSlot: slot } = await chain.finalized();
    const sighting = await this.look(record, chain, slot);
    const { signature, status } = sighting;
    if (status !== 'missing') this.#missing.delete(record.key);
    if (status === 'confirmed' && signature !== undefined) return { outcome: 'settled', signature };
    if (status === 'failed') return FAILED_ON_CHAIN;
    if (status === 'seen') return undefined;
    const isOver = record.height !== undefined && height > record.height + DEAD_AFTER_BLOCKS;
    if (isOver) return this.#expired(record, sighting.isComplete && sighting.chainSlot >= slot);
    const payment = sendable(record);
    if (payment && record.signature !== undefined) await this.#dependencies.facilitator.resend?.(payment);
    return undefined;
  }

  /**
   * Proves that a payment has not landed whose blockhash has expired and that a node does not show. One node may be behind the others, so
   * the proof is a second answer, some seconds later, of a node that has reached the chain slot of the expiry too (`isWhole`).
   */
  #expired({ key }: PaymentRecord, isWhole: boolean): Settlement | undefined {
    const nowMs = monotonicMs();
    if (!isWhole) return undefined;
    const firstMs = this.#missing.get(key, nowMs);
    if (firstMs === undefined) this.#missing.set(key, nowMs, nowMs);
    if (firstMs === undefined || nowMs - firstMs < TIMES.apartMs) return undefined;
    this.#missing.delete(key);
    return { outcome: 'refused', reason: EXPIRED };
  }

  /** Finds the transaction by its memo, because a remote facilitator may settle without a report. */
  async #signatureOf(chain: Chain, record: PaymentRecord, minSlot: number | undefined) {
    const payment = paymentOf(record);
    if (record.memo === undefined || !payment) return { signature: undefined, isComplete: false };
    const { memo } = record;
    const { crypto } = this.#dependencies;
    const rows = await chain.transactionsOf(record.source, { minChainSlot: minSlot });
    const found = rows.find(
      ({ memos, signature }) => memos.includes(memo) && isFeePayerSignature(crypto, signature, payment),
    );
    const oldestMs = rows.at(-1)?.atMs ?? 0;
    const issuedSinceMs = (record.settlingSinceMs ?? 0) - TIMES.challengeMs;
    const reachesBack = oldestMs > 0 && oldestMs < issuedSinceMs - SKEW_MS;
    return { signature: found?.signature, isComplete: rows.length < HISTORY || reachesBack };
  }

  /** Asks the facilitator again if there is no RPC, until the payment can no longer land. Only a proven success counts. */
  async #ofFacilitator(record: PaymentRecord): Promise<Settlement | undefined> {
    const { payments, facilitator } = this.#dependencies;
    const payment = sendable(record);
    const settlement = payment && (await facilitator.settle(payment));
    if (settlement?.outcome === 'settled') return settlement;
    await payments.endSearch(record);
    return undefined;
  }
}

/** The payment of a record, if it may be sent again. Not after a refusal, because the payer may have made another payment. */
const sendable = (record: PaymentRecord): Payment | undefined =>
  isOpenPayment(record) ? paymentOf(record) : undefined;

/** The payment of a record. */
function paymentOf(record: PaymentRecord): Payment | undefined {
  const message = readTransaction(Buffer.from(record.transaction, 'base64'))?.message;
  return message && { ...record, message };
}
