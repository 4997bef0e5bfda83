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
  /** The chains that can be read. For other networks, the reconciler asks the facilitator. */
  readonly chains: Chains;
  readonly crypto: Crypto;
  /** Called with the outcome of each settlement. */
  readonly onSettlement?: ((outcome: Settlement['outcome']) => void) | undefined;
}

/** The reason for refusing a payment whose blockhash has expired. */
const EXPIRED = 'expired';

/** What a node shows of a payment. */
export interface PaymentSighting extends Sighting {
  readonly signature: string | undefined;
  /** Whether the search covered the payer's history back to the payment's challenge. */
  readonly isComplete: boolean;
}

/** The result of a look-up without an RPC. */
export const MISSING: PaymentSighting = { signature: undefined, isComplete: false, status: 'missing', chainSlot: 0 };

/**
 * Finds out what became of payments with an unknown outcome. It looks for the transaction on the chain. If this process settles by itself,
 * it also sends the transaction again until it lands or expires. Without an RPC it sends the payment to the facilitator again. A
 * transaction moves money at most once.
 */
export class Reconciler {
  readonly #dependencies: ReconcilerDependencies;
  readonly #running = new Map<string, Promise<void>>();
  /** When each expired payment was first found missing, by the payment's key. */
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

  /** Looks up one payment. Its record changes only if its outcome is proved. Never rejects. */
  reconcile(record: PaymentRecord): Promise<void> {
    const running =
      this.#running.get(record.key) ?? this.#resolve(record).finally(() => this.#running.delete(record.key));
    this.#running.set(record.key, running);
    return running;
  }

  /**
   * Returns what a node shows of a payment now; `missing` if there is no RPC. `minChainSlot`: a node that has not reached this slot must
   * not answer.
   */
  async look(record: PaymentRecord, chain: Chain | undefined, minChainSlot?: number): Promise<PaymentSighting> {
    if (!chain) return MISSING;
    if (record.signature !== undefined)
      return { signature: record.signature, isComplete: true, ...(await chain.status(record.signature)) };
    const { signature, isComplete } = await this.#signatureOf(chain, record, minChainSlot);
    if (signature === undefined) return { ...MISSING, isComplete, chainSlot: minChainSlot ?? 0 };
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
      // The record already says that the outcome is unknown, so nothing is lost. Closing the gateway cuts searches off, which is no
      // failure.
      if (!this.#isClosed) payments.background.failed('reconciliation', error);
    }
  }

  async #ofChain(chain: Chain, record: PaymentRecord): Promise<Settlement | undefined> {
    // Read the final block before the payment. Then everything that landed up to this block is final when the payment is looked up.
    const { height, chainSlot } = await chain.finalized();
    const sighting = await this.look(record, chain, chainSlot);
    const { signature, status } = sighting;
    if (status !== 'missing') this.#missing.delete(record.key);
    if (status === 'confirmed' && signature !== undefined) return { outcome: 'settled', signature };
    if (status === 'failed') return FAILED_ON_CHAIN;
    if (status === 'seen') return undefined;
    const isExpired = record.height !== undefined && height > record.height + DEAD_AFTER_BLOCKS;
    if (isExpired) return this.#expired(record, sighting.isComplete && sighting.chainSlot >= chainSlot);
    const payment = sendable(record);
    if (payment && record.signature !== undefined) await this.#dependencies.facilitator.resend?.(payment);
    return undefined;
  }

  /**
   * Returns the refusal of an expired payment that has not landed; undefined while this is not proved. The blockhash has expired, and a
   * node does not show the payment. That node may be behind the others. So the proof takes a second such answer some seconds later. Both
   * must be from a node that has reached the slot of the expiry (`isEvidence`).
   */
  #expired({ key }: PaymentRecord, isEvidence: boolean): Settlement | undefined {
    const nowMs = monotonicMs();
    if (!isEvidence) return undefined;
    const firstMs = this.#missing.get(key, nowMs);
    if (firstMs === undefined) this.#missing.set(key, nowMs, nowMs);
    if (firstMs === undefined || nowMs - firstMs < TIMES.apartMs) return undefined;
    this.#missing.delete(key);
    return { outcome: 'refused', reason: EXPIRED };
  }

  /** Finds the signature of a payment by its memo, because a remote facilitator may settle it without reporting the signature. */
  async #signatureOf(chain: Chain, record: PaymentRecord, minChainSlot: number | undefined) {
    const payment = paymentOf(record);
    if (record.memo === undefined || !payment) return { signature: undefined, isComplete: false };
    const { memo } = record;
    const { crypto } = this.#dependencies;
    const rows = await chain.transactionsOf(record.source, { minChainSlot });
    const found = rows.find(
      ({ memos, signature }) => memos.includes(memo) && isFeePayerSignature(crypto, signature, payment),
    );
    const oldestMs = rows.at(-1)?.atMs ?? 0;
    const issuedSinceMs = (record.settlingSinceMs ?? 0) - TIMES.challengeMs;
    const reachesBack = oldestMs > 0 && oldestMs < issuedSinceMs - SKEW_MS;
    return { signature: found?.signature, isComplete: rows.length < HISTORY || reachesBack };
  }

  /** Asks the facilitator again, because there is no RPC, until the payment can no longer land. Only a proven success counts. */
  async #ofFacilitator(record: PaymentRecord): Promise<Settlement | undefined> {
    const { payments, facilitator } = this.#dependencies;
    const payment = sendable(record);
    const settlement = payment && (await facilitator.settle(payment));
    if (settlement?.outcome === 'settled') return settlement;
    await payments.endSearch(record);
    return undefined;
  }
}

/** Returns the payment of a record if it may be sent again. A refused payment may not, because its payer may have made another one. */
const sendable = (record: PaymentRecord): Payment | undefined =>
  isOpenPayment(record) ? paymentOf(record) : undefined;

/** Returns the payment of a record; undefined if its transaction is unreadable. */
function paymentOf(record: PaymentRecord): Payment | undefined {
  const message = readTransaction(Buffer.from(record.transaction, 'base64'))?.message;
  return message && { ...record, message };
}
