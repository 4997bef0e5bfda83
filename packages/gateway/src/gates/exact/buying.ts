import { Refusal } from '@asset-gateway/protocol';
import type { Answer, NoncedTake, Slot, Trail } from '../../call.ts';
import {
  type NewPayment,
  PAYMENTS,
  type PaymentRecord,
  type PaymentStore,
  type Settling,
} from '../../stores/payments.ts';
import type { Admission, Receipt } from '../gate.ts';
import type { Chain } from './facilitators/chain.ts';
import type { Facilitator, Settlement } from './facilitators/facilitator.ts';
import { pendingRefusal, receiptOf, refusalOf, refusedRefusal, said, unused } from './outcomes.ts';
import type { Purchase } from './purchase.ts';
import type { Queues } from './queue.ts';
import { codeOfReason } from './reasons.ts';
import type { Reconciler } from './reconcile.ts';

/** What a purchase is carried out with. */
export interface Counter {
  readonly payments: PaymentStore;
  readonly facilitator: Facilitator;
  readonly chains: ReadonlyMap<string, Chain>;
  readonly reconciler: Reconciler;
  /** One settlement of a payer at a time. */
  readonly settlements: Queues;
  readonly onFailure: (error: unknown) => void;
  /** Told at each step of a purchase, before the next one begins. */
  readonly onStep?: (step: Step) => void;
  /** Told how each settlement has ended. */
  readonly onSettlement?: (outcome: Settlement['outcome']) => void;
}

/** The steps of a purchase, each named when it is done. */
export type Step = 'reserve' | 'verify' | 'upstream' | 'store' | 'settle' | 'record' | 'respond';

const SETTLE_MS = 25_000;

/** A purchase on its way: reserved and verified before the upstream is asked, settled before a byte of it is answered. */
export class Buying implements Admission {
  readonly #counter: Counter;
  readonly #purchase: Purchase;
  readonly #payment: NewPayment;
  readonly #inOldHeader: boolean;
  readonly #trail: Trail;
  #reserved = false;
  #settledBefore = false;
  #height: number | undefined;

  constructor(counter: Counter, purchase: Purchase, payment: NewPayment, { trail, inOldHeader }: BuyingOptions) {
    this.#counter = counter;
    this.#purchase = purchase;
    this.#payment = payment;
    this.#trail = trail;
    this.#inOldHeader = inOldHeader;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    if (this.#reserved) await this.#assertCallLeft();
    else await this.#begin();
    const slot = await take();
    await this.#counter.payments.called(this.#payment.key).catch(this.#counter.onFailure);
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    const { settlements, facilitator } = this.#counter;
    if (this.#settledBefore) return this.#prepaid(json);
    this.#counter.onStep?.('upstream');
    const signature = facilitator.signatureOf(this.#purchase.payment);
    const facts = {
      answer: json,
      ...(signature !== undefined && { signature }),
      ...(this.#height !== undefined && { height: this.#height }),
    };
    const settling = settlements.run(this.#payment.payer, () => this.#sell(facts));
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), SETTLE_MS).unref());
    return this.#conclude(await Promise.race([settling, late]));
  }

  /** The point of no return, one at a time for a payer: written down, then settled, then the record is moved. */
  async #sell(facts: Settling): Promise<Settlement> {
    const { payments, facilitator, onFailure, onStep } = this.#counter;
    const { key, owner } = this.#payment;
    const verdict = await payments.settling(key, owner, facts).catch((error) => this.#unwritten(error));
    if (verdict === 'owed') throw refusalOf('owed');
    this.#trail.payment = { state: 'pending' };
    onStep?.('store');
    const settlement = await facilitator.settle(this.#purchase.payment).catch((error): Settlement => {
      onFailure(error);
      return { outcome: 'unknown', ...(facts.signature !== undefined && { signature: facts.signature }) };
    });
    return this.#record(settlement);
  }

  /** Nothing was sent; whether the payment can be called unused depends on what the store has kept. */
  async #unwritten(error: unknown): Promise<never> {
    const reason = String(error);
    const record = await this.#counter.payments.find(this.#payment.key).catch(() => {
      throw new Refusal('state_unavailable', { reason, payment: { state: 'pending' } });
    });
    if (record && record.progress !== 'reserved') throw pendingRefusal(record, this.#inOldHeader);
    throw new Refusal('state_unavailable', { reason, payment: unused });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { payments, onFailure } = this.#counter;
    if (this.#reserved) await payments.release(this.#payment.key, this.#payment.owner).catch(onFailure);
  }

  /** What is sent once more counts like any other call. */
  async #assertCallLeft(): Promise<void> {
    const calls = await said(this.#counter.payments.calls(this.#payment.key));
    if (calls >= PAYMENTS.callsPerPayment) throw refusalOf('exhausted');
  }

  async #begin(): Promise<void> {
    const { payments, facilitator, chains } = this.#counter;
    const verdict = await said(payments.reserve(this.#payment));
    if (verdict !== 'reserved') throw refusalOf(verdict);
    this.#reserved = true;
    this.#counter.onStep?.('reserve');
    const { payment } = this.#purchase;
    const [verification, height] = await Promise.all([
      facilitator.verify(payment),
      chains.get(payment.network)?.finalizedHeight(),
    ]);
    this.#height = height;
    if (!verification.valid) await this.#adoptOrRefuse(verification.reason);
    this.#counter.onStep?.('verify');
  }

  /** A payment that verification refuses may be one that has settled before we knew of it. */
  async #adoptOrRefuse(reason: string): Promise<void> {
    const { payments, facilitator, reconciler } = this.#counter;
    const { payment } = this.#purchase;
    const known = facilitator.signatureOf(payment);
    const record = {
      ...this.#payment,
      progress: 'reserved' as const,
      ...(known !== undefined && { signature: known }),
    };
    const { signature, status } = await reconciler.look(record);
    if (status === 'confirmed' && payment.requirement.extra.memo === undefined) {
      // Without a memo nothing says which request it was for, and a settled transaction is there for all to copy.
      throw new Refusal('payment_already_used', { reason: 'settled before', payment: { state: 'settled' } });
    }
    if (status === 'seen' && signature !== undefined) {
      throw pendingRefusal({ ...this.#payment, progress: 'unresolved', signature }, this.#inOldHeader);
    }
    if (status !== 'confirmed' || signature === undefined) {
      throw new Refusal(codeOfReason(reason), { reason, payment: { state: 'refused' } });
    }
    await said(payments.adopt(this.#payment, signature));
    this.#trail.payment = { state: 'settled', transaction: signature };
    this.#settledBefore = true;
  }

  async #prepaid(json: string): Promise<Receipt> {
    const { payments } = this.#counter;
    await payments.keep(this.#payment.key, json).catch(() => undefined);
    this.#trail.delivered = () => this.#delivered();
    const record = await this.#known();
    return receiptOf(record ?? { ...this.#payment, progress: 'settled' }, this.#inOldHeader, true);
  }

  /** Moves the record, also when the request has long ended. Whatever the disk says, a settlement stays one. */
  async #record(settlement: Settlement): Promise<Settlement> {
    const { payments, onFailure, onStep } = this.#counter;
    const { key, owner } = this.#payment;
    onStep?.('settle');
    this.#counter.onSettlement?.(settlement.outcome);
    try {
      if (settlement.outcome === 'settled')
        await payments.resolve(key, { progress: 'settled', signature: settlement.signature });
      else if (settlement.outcome === 'refused')
        await payments.resolve(key, { progress: 'refused', reason: settlement.reason }, owner);
      else if (settlement.outcome === 'unsent') await payments.withdraw(key, owner);
      else await payments.unresolved(key, settlement.signature);
    } catch (error) {
      onFailure(error);
    }
    onStep?.('record');
    return settlement;
  }

  async #conclude(settlement: Settlement | undefined): Promise<Receipt> {
    if (settlement?.outcome === 'unknown') {
      const open = await this.#known();
      if (open) await this.#counter.reconciler.reconcile(open);
    }
    const record = (await this.#known()) ?? { ...this.#payment, progress: 'unresolved' as const };
    if (settlement?.outcome === 'settled' || record.progress === 'settled') {
      const signature = settlement?.outcome === 'settled' ? settlement.signature : record.signature;
      this.#trail.delivered = () => {
        this.#counter.onStep?.('respond');
        this.#delivered();
      };
      return receiptOf({ ...record, ...(signature && { signature }) }, this.#inOldHeader, false);
    }
    if (settlement?.outcome === 'unsent' && (await this.#isTakenBack())) {
      throw new Refusal('facilitator_unavailable', { reason: settlement.reason, payment: unused });
    }
    if (record.progress === 'refused') throw refusedRefusal(record, record.reason ?? '', this.#inOldHeader);
    throw pendingRefusal(record, this.#inOldHeader);
  }

  /** What could not be taken back is sent by whoever finds it. */
  async #isTakenBack(): Promise<boolean> {
    const found = this.#counter.payments.find(this.#payment.key);
    return found.then(
      (record) => record === undefined || record.progress === 'reserved',
      () => false,
    );
  }

  /** From here on a store that is down takes nothing away from what has been paid for. */
  async #known(): Promise<PaymentRecord | undefined> {
    return this.#counter.payments.find(this.#payment.key).catch(() => undefined);
  }

  #delivered(): void {
    this.#counter.payments.delivered(this.#payment.key).catch(this.#counter.onFailure);
  }
}

/** What a purchase leaves its traces on. */
export interface BuyingOptions {
  readonly trail: Trail;
  readonly inOldHeader: boolean;
}
