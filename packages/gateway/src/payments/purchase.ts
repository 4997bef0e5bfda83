import { Refusal } from '@asset-gateway/protocol';
import type { Answer, NoncedTake, Receipt, Slot, Trail } from '../call.ts';
import { fromStore } from '../gates/from-store.ts';
import type { CoverablePurchase } from './cover.ts';
import type { Settlement } from './facilitator/facilitator.ts';
import type { PurchaseDependencies } from './purchase-dependencies.ts';
import type { PresentedPayment } from './read/payment.ts';
import { type NewPayment, PAYMENTS, type PaymentRecord, type SettlementAttempt } from './record.ts';
import { pendingRefusal, receiptOf, refusalOf, refusedRefusal, unused } from './responses.ts';
import type { Telling } from './telling.ts';
import { verify } from './verification.ts';
import type { Verified } from './verification-limits.ts';

const SETTLE_MS = 25_000;

/** A purchase on its way: reserved and verified before the upstream is asked, settled before a byte of it is answered. */
export class Purchase implements CoverablePurchase {
  readonly #parts: PurchaseDependencies;
  readonly #purchase: PresentedPayment;
  readonly #payment: NewPayment;
  readonly #telling: Telling;
  readonly #trail: Trail;
  #reserved = false;
  isSettledBefore = false;
  /** The record of what this purchase has settled. */
  #resolved: PaymentRecord | undefined;
  /** From here on nothing is given back but by what becomes of the settlement. */
  #isSold = false;
  #height: number | undefined;
  /** Since when money may move, by the store's clock. */
  #sentAtMs: number | undefined;

  constructor(parts: PurchaseDependencies, purchase: PresentedPayment, payment: NewPayment, options: PurchaseOptions) {
    this.#parts = parts;
    this.#purchase = purchase;
    this.#payment = payment;
    this.#trail = options.trail;
    this.#telling = options;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    if (this.#reserved) await this.#assertCallLeft();
    else await this.#begin();
    const slot = await take();
    await this.#parts.payments.called(this.#payment.key).catch(this.#parts.onFailure);
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    const { settlements, facilitator } = this.#parts;
    if (this.isSettledBefore) return this.#prepaid(json);
    this.#parts.onStep?.('upstream');
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
  async #sell(facts: SettlementAttempt): Promise<Settlement> {
    const { payments, facilitator, onFailure, onStep } = this.#parts;
    const { key, owner } = this.#payment;
    this.#sentAtMs = payments.now();
    const verdict = await payments.settling(key, owner, facts).catch((error) => this.#unwritten(error));
    if (verdict === 'owed') throw refusalOf('owed');
    this.#isSold = true;
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
    const record = await this.#parts.payments.find(this.#payment.key).catch(() => {
      throw new Refusal('state_unavailable', { reason, payment: { state: 'pending' } });
    });
    if (record && record.progress !== 'reserved') throw pendingRefusal(record, this.#telling.inVersion1Header);
    throw new Refusal('state_unavailable', { reason, payment: unused });
  }

  headers(): Readonly<Record<string, string>> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#reserved && !this.#isSold) await this.#giveBack();
  }

  /** What is being settled stays. */
  async #giveBack(): Promise<void> {
    const { payments, onFailure } = this.#parts;
    this.#reserved = false;
    await this.#giveBackFee();
    await payments.release(this.#payment.key, this.#payment.owner).catch(onFailure);
  }

  /** What is sent once more counts like any other call. */
  async #assertCallLeft(): Promise<void> {
    const calls = await fromStore(this.#parts.payments.calls(this.#payment.key));
    if (calls >= PAYMENTS.callsPerPayment) throw refusalOf('exhausted');
  }

  /** Shed early, before anything is asked of anybody; of copies sent at once one is counted, the one that is reserved. */
  async #begin(): Promise<void> {
    const { payments, limits, onStep } = this.#parts;
    const { payer, key, network } = this.#payment;
    const challenge = this.#purchase.payment.requirement.extra.memo ?? key;
    const isNewPayer = !(await fromStore(payments.isKnownPayer(payer, network)));
    const verified = { network, payer, challenge, isNewPayer };
    limits.assertRoom(verified, payments.now());
    const verdict = await fromStore(payments.reserve(this.#payment));
    if (verdict !== 'reserved') throw refusalOf(verdict);
    this.#reserved = true;
    onStep?.('reserve');
    const leave = limits.enter(verified, payments.now());
    try {
      await this.#verify(verified);
      onStep?.('verify');
    } finally {
      leave();
    }
  }

  async #verify(verified: Verified): Promise<void> {
    const asked = {
      payment: this.#purchase.payment,
      record: this.#payment,
      inVersion1Header: this.#telling.inVersion1Header,
    };
    const { height, signature } = await verify(this.#parts, asked, verified);
    this.#height = height;
    if (signature === undefined) return;
    await this.#giveBackFee();
    this.#trail.payment = { state: 'settled', transaction: signature };
    this.isSettledBefore = true;
  }

  /** Nothing is sent for this payment now, and what was held for it costs nobody. */
  async #giveBackFee(): Promise<void> {
    await this.#parts.facilitator.release(this.#purchase.payment).catch(this.#parts.onFailure);
  }

  async #prepaid(json: string): Promise<Receipt> {
    const { payments } = this.#parts;
    await payments.keep(this.#payment.key, json).catch(() => undefined);
    const record = await this.#known();
    const receipt = receiptOf(record ?? { ...this.#payment, progress: 'settled' }, this.#telling, true);
    return { ...receipt, onDelivered: () => this.#delivered() };
  }

  /** Moves the record, also when the request has long ended. Whatever the disk says, a settlement stays one. */
  async #record(settlement: Settlement): Promise<Settlement> {
    const { payments, onFailure, onStep } = this.#parts;
    const { key, owner } = this.#payment;
    onStep?.('settle');
    this.#parts.onSettlement?.(settlement.outcome);
    try {
      if (settlement.outcome === 'settled')
        this.#resolved = await payments.resolve(key, { progress: 'settled', signature: settlement.signature });
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
    if (!settlement && !this.#isSold) await this.#leaveQueue();
    if (settlement?.outcome === 'unknown') {
      const open = await this.#known();
      if (open) await this.#parts.reconciler.reconcile(open);
    }
    const sent = { progress: 'unresolved', settlingSinceMs: this.#sentAtMs ?? 0 } as const;
    const record: PaymentRecord = this.#resolved ?? (await this.#known()) ?? { ...this.#payment, ...sent };
    if (settlement?.outcome === 'settled' || record.progress === 'settled') {
      const signature = settlement?.outcome === 'settled' ? settlement.signature : record.signature;
      const onDelivered = () => {
        this.#parts.onStep?.('respond');
        this.#delivered();
      };
      return {
        ...receiptOf({ ...record, ...(signature && { signature }) }, this.#telling, false),
        onDelivered,
      };
    }
    if (settlement?.outcome === 'unsent' && (await this.#isTakenBack())) {
      throw new Refusal('facilitator_unavailable', { reason: settlement.reason, payment: unused });
    }
    if (record.progress === 'refused')
      throw refusedRefusal(record, record.reason ?? '', this.#telling.inVersion1Header);
    throw pendingRefusal(record, this.#telling.inVersion1Header);
  }

  /** Its turn has not come in time: it never comes, unless it has in this very moment. */
  async #leaveQueue(): Promise<void> {
    await this.#giveBack();
    const reason = 'earlier settlements of this payer take too long';
    if (await this.#isTakenBack()) throw new Refusal('facilitator_unavailable', { reason, payment: unused });
  }

  /** What could not be taken back is sent by whoever finds it. */
  async #isTakenBack(): Promise<boolean> {
    const found = this.#parts.payments.find(this.#payment.key);
    return found.then(
      (record) => record === undefined || (record.progress === 'reserved' && record.owner !== this.#payment.owner),
      () => false,
    );
  }

  /** From here on a store that is down takes nothing away from what has been paid for. */
  async #known(): Promise<PaymentRecord | undefined> {
    return this.#parts.payments.find(this.#payment.key).catch(() => undefined);
  }

  #delivered(): void {
    this.#parts.payments.delivered(this.#payment.key).catch(this.#parts.onFailure);
  }
}

/** What a purchase leaves its traces on. */
export interface PurchaseOptions extends Telling {
  readonly trail: Trail;
}
