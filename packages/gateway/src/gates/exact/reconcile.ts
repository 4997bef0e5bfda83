import type { PaymentRecord, PaymentStore, Proof } from '../../stores/payments.ts';
import type { Crypto } from '../crypto.ts';
import type { Chain, ChainStatus } from './facilitators/chain.ts';
import type { Facilitator, Payment } from './facilitators/facilitator.ts';
import { isFeePayerSignature } from './facilitators/fee-payer-signature.ts';
import type { Requirement } from './terms.ts';
import { readTransaction } from './transaction.ts';

/** What the truth is found out with. */
export interface ReconcilerParts {
  readonly payments: PaymentStore;
  readonly facilitator: Facilitator;
  /** By network; one that is missing leaves only the facilitator to ask. */
  readonly chains: ReadonlyMap<string, Chain>;
  readonly crypto: Crypto;
  /** Told what became of a payment that was open. */
  readonly onSettlement?: (outcome: Proof['progress']) => void;
}

const INTERVAL_MS = 2_000;
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

  /** What the chain shows of a payment now; it is missing as well where there is no chain to read. */
  async look(record: PaymentRecord): Promise<Sighting> {
    const chain = this.#parts.chains.get(record.network);
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
    const { signature, isComplete, status } = await this.look(record);
    if (status === 'confirmed' && signature !== undefined) return { progress: 'settled', signature };
    if (status === 'failed') return { progress: 'refused', reason: 'failed on the chain' };
    if (status === 'seen') return undefined;
    const isOver = record.height !== undefined && height > record.height + DEAD_AFTER_BLOCKS;
    if (isOver) return isComplete ? { progress: 'refused', reason: 'expired' } : undefined;
    const payment = paymentOf(record);
    if (payment && record.signature !== undefined) await this.#parts.facilitator.resend(payment);
    return undefined;
  }

  /** A remote facilitator may have paid without telling: its transaction is found by our memo. */
  async #signatureOf(chain: Chain, record: PaymentRecord, payment: Payment | undefined): Promise<Found> {
    if (record.signature !== undefined) return { signature: record.signature, isComplete: true };
    if (record.memo === undefined || !payment) return { signature: undefined, isComplete: false };
    const { signatures, isComplete } = await chain.signaturesWithMemo(record.source, record.memo);
    const { feePayer } = payment.requirement.extra;
    const isTheirs = (each: string) => isFeePayerSignature(this.#parts.crypto, each, feePayer, payment.message);
    return { signature: signatures.find(isTheirs), isComplete };
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
  return message && { key, network, transaction, message, requirement: JSON.parse(requirement) as Requirement };
}
