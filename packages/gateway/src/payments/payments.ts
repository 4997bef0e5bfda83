import { NETWORKS } from '@asset-gateway/protocol';
import type { Companion, CompanionChange } from './companion.ts';
import {
  documentsOf,
  dueName,
  namesOf,
  payerName,
  recordName,
  type Subject,
  signatureName,
  stateIn,
} from './documents.ts';
import type { PaymentEvent, Step } from './machine.ts';
import {
  type NewPayment,
  PAYMENTS,
  type PaymentRecord,
  type Proof,
  type ReserveVerdict,
  type SettlementAttempt,
} from './record.ts';
import {
  callsOf,
  type Due,
  dueOf,
  type HeldRecord,
  isKnownPayer,
  type PayerRecord,
  readDue,
  readRecord,
} from './state.ts';
import { type Beside, Steps } from './steps.ts';
import type { Change, PaymentDocuments, Reach, Stored } from './store/port.ts';

/** A record without what only the machine asks for. */
function recordOf(held: HeldRecord | undefined): PaymentRecord | undefined {
  if (!held) return undefined;
  const { node: _node, leasedUntilMs: _leasedUntilMs, calls: _calls, ...record } = held;
  return record;
}

/** What a step has told, and the record after it. */
interface Outcome {
  readonly verdict: Step['verdict'];
  readonly record: HeldRecord | undefined;
}

/**
 * What the gateway remembers about payments: it reads, has the machine decide, and writes where nothing has changed meanwhile.
 * A promise that resolves means that the fact lasts. Every method may reject when the store is down, but for `release`.
 */
export class Payments {
  readonly #store: PaymentDocuments;
  readonly #steps: Steps;

  constructor(store: PaymentDocuments, companions: readonly Companion[] = []) {
    this.#store = store;
    this.#steps = new Steps(store, companions);
  }

  /** The store's clock, in milliseconds since the Unix epoch; it never steps. */
  now(): number {
    return this.#store.now();
  }

  /** How far back the records go, as this node knew after its last step. */
  reach(): Reach {
    return this.#store.reach();
  }

  /** The answer that a payment has bought, while it is kept. */
  answer(key: string): Promise<string | undefined> {
    return this.#store.answer(key);
  }

  async find(key: string): Promise<PaymentRecord | undefined> {
    return recordOf(this.#recordIn(await this.#read(recordName(key))));
  }

  /** A payment of this payer for this request whose outcome is open, or whose answer is still owed. */
  async owed(payer: string, requestHash: string): Promise<PaymentRecord | undefined> {
    const { value } = await this.#read(dueName(payer, requestHash));
    const due = readDue((value as readonly Due[] | undefined) ?? [], this.now());
    const key = dueOf(due)?.key;
    return key === undefined ? undefined : this.find(key);
  }

  /** Whether this wallet's mainnet payments of the last 30 days make it a known payer, whatever network it pays on now. */
  async isKnownPayer(payer: string, network: string = NETWORKS.mainnet): Promise<boolean> {
    const names = [...new Set([NETWORKS.mainnet, network])].map((each) => payerName(each, payer));
    const found = await this.#store.read(names);
    for (const stored of found) this.#steps.noteRead(stored);
    const [onMainnet] = found;
    return onMainnet?.value !== undefined && isKnownPayer(onMainnet.value as PayerRecord, this.now());
  }

  async reserve(payment: NewPayment): Promise<ReserveVerdict> {
    const { verdict } = await this.#steps.take(payment, { kind: 'reserved', payment });
    return verdict as ReserveVerdict;
  }

  /**
   * Notes a payment as settled by a transaction that the chain shows and no record knows: its own, or an earlier one's. Answers
   * no where another payment has that signature already.
   */
  async adopt(payment: NewPayment, signature: string): Promise<boolean> {
    const { value } = await this.#read(signatureName(signature));
    if (value !== undefined && value !== payment.key) return false;
    await this.#steps.take(
      payment,
      { kind: 'adopted', payment, signature },
      { marks: this.#marks(payment.key, signature) },
    );
    return true;
  }

  /** Keeps the answer of a settled payment whose first one is gone. */
  async keep(key: string, answer: string): Promise<void> {
    await this.#store.commit({ changes: [], answer: { key, text: answer, forgetMs: PAYMENTS.answerMs } });
  }

  /** Counts a call to the upstream for a payment. */
  async called(key: string): Promise<void> {
    await this.#stepOf(key, { kind: 'called' });
  }

  /** How many calls to the upstream there have been for a payment. */
  async calls(key: string): Promise<number> {
    const subject = await this.#subjectOf(key);
    if (!subject) return 0;
    return callsOf(stateIn(documentsOf(await this.#store.read(namesOf(subject)))), key);
  }

  /**
   * Everything is noted that a crash must not lose, and from now on money may move. `owed`: nothing was noted, for this payer
   * has an open or owed payment for the same request. Rejects when the reservation is not this owner's any more.
   */
  async settling(key: string, owner: string, { answer, ...sent }: SettlementAttempt): Promise<'settling' | 'owed'> {
    const event = { kind: 'settling', owner, sent } as const;
    const { verdict } = await this.#stepOf(key, event, { answer: { key, text: answer } }).catch(async (error) => {
      await this.#takeBack(key, owner);
      throw error;
    });
    if (verdict === 'owed') return 'owed';
    if (verdict !== 'done') throw new Error('the reservation is lost');
    return 'settling';
  }

  /** The outcome is not known. */
  async unresolved(key: string, signature?: string): Promise<void> {
    await this.#lastStep(key, { kind: 'unresolved', signature });
  }

  /**
   * Moves the record to where the proof says; a refusal that is an owner's own word, only while the payment is that one's.
   * Answers the record as it is then.
   */
  async resolve(key: string, proof: Proof, owner?: string): Promise<PaymentRecord | undefined> {
    const marks = proof.progress === 'settled' ? this.#marks(key, proof.signature) : [];
    const beside = { answer: { key, forgetMs: PAYMENTS.answerMs }, marks };
    const { record } = await this.#lastStep(key, { kind: 'resolved', proof, owner }, beside);
    return recordOf(record);
  }

  /** Our own failure before anything was sent: the payment is as good as new. */
  async withdraw(key: string, owner: string): Promise<void> {
    await this.#lastStep(key, { kind: 'withdrawn', owner, from: 'settling' }, { answer: { key, forgetMs: 0 } });
  }

  /** Gives back what this owner has only reserved; does nothing otherwise. Never rejects. */
  async release(key: string, owner: string): Promise<void> {
    const event = { kind: 'withdrawn', owner, from: 'reserved' } as const;
    await this.#lastStep(key, event).catch(() => undefined);
  }

  /** The answer has reached the payer. */
  async delivered(key: string): Promise<void> {
    await this.#stepOf(key, { kind: 'delivered' });
  }

  /** Payments whose outcome must be asked of the chain. */
  async open(): Promise<readonly PaymentRecord[]> {
    const keys = await this.#store.openKeys();
    const records = (await this.#store.read(keys.map(recordName))).map((stored) => this.#recordIn(stored));
    const over = keys.filter((_, index) => !records[index]);
    for (const key of over) await this.#store.commit({ changes: [], open: { key, fromMs: undefined } });
    return records.filter((record) => record?.progress === 'unresolved').flatMap((record) => recordOf(record) ?? []);
  }

  close(): void {
    this.#steps.close();
    this.#store.close();
  }

  #recordIn({ value }: Stored): HeldRecord | undefined {
    return readRecord(value as HeldRecord | undefined, this.#steps.moment);
  }

  async #read(name: string): Promise<Stored> {
    const [stored] = await this.#store.read([name]);
    const found = stored ?? { name, version: undefined, value: undefined };
    this.#steps.noteRead(found);
    return found;
  }

  /** Whose payment this is; nothing where nobody knows it. */
  async #subjectOf(key: string): Promise<Subject | undefined> {
    return this.#steps.subjectOf(key) ?? this.#recordIn(await this.#read(recordName(key)));
  }

  async #stepOf(key: string, event: PaymentEvent, beside?: Beside): Promise<Outcome> {
    const subject = await this.#subjectOf(key);
    if (!subject) return { verdict: 'ignored', record: undefined };
    const { verdict, after } = await this.#steps.take(subject, event, beside);
    return { verdict, record: after.record };
  }

  /** A step after which this process does nothing more: where it fails, nobody renews the lease, and others find out the outcome. */
  async #lastStep(key: string, event: PaymentEvent, beside?: Beside): Promise<Outcome> {
    return this.#stepOf(key, event, beside).catch((error) => {
      this.#steps.letGo(key);
      throw error;
    });
  }

  /** A signature is noted where records can be lost: a payment that was forgotten must not count for a second one. */
  #marks(key: string, signature: string): readonly CompanionChange[] {
    if (this.reach().sinceMs === undefined) return [];
    const change = (was: Stored): Change => ({ was, value: key, isLasting: false, forgetMs: PAYMENTS.recordMs });
    return [{ name: signatureName(signature), change }];
  }

  /** What could not be noted must not stay as if it were being settled: nobody settles it. */
  async #takeBack(key: string, owner: string): Promise<void> {
    if (this.#store.leaseMs !== undefined) return this.#steps.letGo(key);
    await this.withdraw(key, owner)
      .catch(() => this.unresolved(key))
      .catch(() => undefined);
  }
}
