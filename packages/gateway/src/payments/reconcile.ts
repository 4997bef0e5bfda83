import type { Crypto } from '../gates/crypto.ts';
import type { Chain, ChainStatus } from './facilitator/chain.ts';
import { type Facilitator, isFeePayerSignature, type Payment } from './facilitator/facilitator.ts';
import type { Payments } from './payments.ts';
import { issuedAtMs } from './read/memo.ts';
import { readTransaction } from './read/transaction.ts';
import { FAILED_ON_CHAIN, type PaymentRecord, type Proof } from './record.ts';
import type { PaymentRequirements } from './requirement.ts';

/** What the truth is found out with. */
export interface ReconcilerParts {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  /** By network; one that is missing leaves only the facilitator to ask. */
  readonly chains: ReadonlyMap<string, Chain>;
  readonly crypto: Crypto;
  /** Told what became of a payment that was open. */
  readonly onSettlement?: (outcome: Proof['progress']) => void;
}

const INTERVAL_MS = 2_000;
/** Why a transaction that has not landed never will. */
const EXPIRED = 'expired';
/** A transaction that no block within so many has taken can never be taken. */
const DEAD_AFTER_BLOCKS = 200;

/** Finds out what became of payments whose outcome is not known, by reading the chain and never by paying again. */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #running = new Map<string, Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.sweep(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** Asks about everything that is open. */
  sweep(): void {
    this.#parts.payments.open().then(
      (records) => records.forEach((record) => void this.reconcile(record)),
      () => undefined,
    );
  }

  /** Asks about one payment; its record moves when there is proof. Never rejects. */
  reconcile(record: PaymentRecord): Promise<void> {
    const running =
      this.#running.get(record.key) ?? this.#resolve(record).finally(() => this.#running.delete(record.key));
    this.#running.set(record.key, running);
    return running;
  }

  /** What a chain shows of a payment now; it is missing as well where there is no chain to read. */
  async look(record: PaymentRecord, chain: Chain | undefined): Promise<Sighting> {
    if (!chain) return { signature: undefined, isComplete: false, status: 'missing' };
    const found = await this.#signatureOf(chain, record, paymentOf(record));
    const status = found.signature === undefined ? 'missing' : await chain.status(found.signature);
    return { ...found, status };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #resolve(record: PaymentRecord): Promise<void> {
    const chain = this.#parts.chains.get(record.network);
    try {
      const proof = chain ? await this.#ofChain(chain, record) : await this.#ofFacilitator(record);
      if (!proof) return;
      await this.#parts.payments.resolve(record.key, proof);
      this.#parts.onSettlement?.(proof.progress);
    } catch {
      // Not known yet is what the record says already.
    }
  }

  async #ofChain(chain: Chain, record: PaymentRecord): Promise<Proof | undefined> {
    const height = await chain.finalizedHeight();
    const { signature, isComplete, status } = await this.look(record, chain);
    if (status === 'confirmed' && signature !== undefined) return { progress: 'settled', signature };
    if (status === 'failed') return { progress: 'refused', reason: FAILED_ON_CHAIN };
    if (status === 'seen') return undefined;
    const isOver = record.height !== undefined && height > record.height + DEAD_AFTER_BLOCKS;
    if (isOver) return isComplete ? { progress: 'refused', reason: EXPIRED } : undefined;
    const payment = paymentOf(record);
    if (payment && record.signature !== undefined) await this.#parts.facilitator.resend(payment);
    return undefined;
  }

  /** A remote facilitator may have paid without telling: its transaction is found by our memo. */
  async #signatureOf(chain: Chain, record: PaymentRecord, payment: Payment | undefined): Promise<Found> {
    if (record.signature !== undefined) return { signature: record.signature, isComplete: true };
    if (record.memo === undefined || !payment) return { signature: undefined, isComplete: false };
    const { feePayer, memo: issued } = payment.requirement.extra;
    const { memos, isComplete } = await chain.memosOf(
      record.source,
      issued === undefined ? undefined : issuedAtMs(issued),
    );
    const found = memos.find(
      ({ memo, signature }) =>
        memo === record.memo && isFeePayerSignature(this.#parts.crypto, signature, feePayer, payment.message),
    );
    return { signature: found?.signature, isComplete };
  }

  /** Without a chain to read, the facilitator is asked again; only a success that it can prove counts. */
  async #ofFacilitator(record: PaymentRecord): Promise<Proof | undefined> {
    const payment = paymentOf(record);
    const settlement = payment && (await this.#parts.facilitator.settle(payment));
    return settlement?.outcome === 'settled' ? { progress: 'settled', signature: settlement.signature } : undefined;
  }
}

/** A signature, if there is one, and whether everything was looked at where it could be. */
interface Found {
  readonly signature: string | undefined;
  readonly isComplete: boolean;
}

/** What was found, and what the chain shows of it. */
export interface Sighting extends Found {
  readonly status: ChainStatus;
}

/** The payment that a record was made of. */
function paymentOf({ key, network, transaction, requirement }: PaymentRecord): Payment | undefined {
  const message = readTransaction(Buffer.from(transaction, 'base64'))?.message;
  if (!message) return undefined;
  return {
    key,
    network,
    transaction,
    message,
    requirement: JSON.parse(requirement) as PaymentRequirements,
    hasTicket: false,
  };
}
