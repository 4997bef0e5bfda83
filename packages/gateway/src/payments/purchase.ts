import { Refusal } from '@asset-gateway/protocol';
import type { Answer, NoncedTake, Receipt, Slot, Trail } from '../call.ts';
import { fromStore } from '../gates/gate.ts';
import { type CoverablePurchase, type CreditLimits, NotNeeded } from './cover.ts';
import type { Settlement } from './facilitator/facilitator.ts';
import { BUDGET_USED_UP, feeChargeOf, fitsBudget } from './facilitator/fee-payer.ts';
import type { Look } from './payments.ts';
import type { PurchaseDependencies } from './purchase-dependencies.ts';
import type { PresentedPayment } from './read/payment.ts';
import { type FeeCharge, type NewPayment, PAYMENTS, type PaymentRecord, type SettlementAttempt } from './record.ts';
import {
  pendingRefusal,
  receiptOf,
  refusalOf,
  refusedRefusal,
  type Telling,
  unavailable,
  unused,
} from './responses.ts';
import { verify } from './verification.ts';
import type { Verified } from './verification-limits.ts';

const SETTLE_MS = 25_000;

/** One purchase: reserved and verified before the upstream call, settled before the response. */
export class Purchase implements CoverablePurchase {
  readonly #parts: PurchaseDependencies;
  readonly #presented: PresentedPayment;
  readonly #payment: NewPayment;
  readonly #options: PurchaseOptions;
  #isReserved = false;
  #isCalled = false;
  /** Verification has found that the payment had settled before. */
  #isSettledBefore = false;
  /** The record of what this purchase has settled. */
  #resolved: PaymentRecord | undefined;
  balanceMicros: number | undefined;
  /** From here on only the outcome of the settlement moves the record. */
  #isSold = false;
  #height: number | undefined;
  /** Since when money may move, by the database's clock. */
  #sentAtMs: number | undefined;
  #fee: FeeCharge | undefined;

  constructor(parts: PurchaseDependencies, presented: PresentedPayment, payment: NewPayment, options: PurchaseOptions) {
    this.#parts = parts;
    this.#presented = presented;
    this.#payment = payment;
    this.#options = options;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    const { payments, onFailure } = this.#parts;
    const isFirst = !this.#isReserved;
    if (isFirst) await this.#begin();
    else await this.#assertCallLeft();
    const slot = await take();
    // The reservation has counted the first call.
    if (!isFirst) await payments.called(this.#payment.key).catch(onFailure);
    this.#isCalled = true;
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    const { settlements, facilitator, onStep } = this.#parts;
    if (this.#isSettledBefore) return this.#prepaid(json);
    onStep?.('upstream');
    const signature = facilitator.signatureOf(this.#presented.payment);
    const facts = {
      answer: json,
      ...(signature !== undefined && { signature }),
      ...(this.#height !== undefined && { height: this.#height }),
      ...(this.#fee && { fee: this.#fee }),
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
    if (verdict === 'fees used up') throw unavailable(BUDGET_USED_UP);
    if (verdict !== 'settling') throw refusalOf(verdict === 'covered' ? 'taken' : verdict);
    this.#isSold = true;
    this.#options.trail.payment = { state: 'pending' };
    onStep?.('store');
    const settlement = await facilitator.settle(this.#presented.payment).catch((error): Settlement => {
      onFailure(error);
      return { outcome: 'unknown', ...(facts.signature !== undefined && { signature: facts.signature }) };
    });
    return this.#record(settlement);
  }

  /** Nothing was sent; whether the payment is unused depends on what the database has. */
  async #unwritten(error: unknown): Promise<never> {
    const reason = String(error);
    const record = await this.#parts.payments.find(this.#payment.key).catch(() => {
      throw new Refusal('state_unavailable', { reason, payment: { state: 'pending' } });
    });
    if (record && record.progress !== 'reserved') throw pendingRefusal(record, this.#options.inVersion1Header);
    throw new Refusal('state_unavailable', { reason, payment: unused });
  }

  headers(): Readonly<Record<string, string>> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isReserved && !this.#isSold) await this.#release();
  }

  async #release(): Promise<void> {
    this.#isReserved = false;
    await this.#parts.payments.release(this.#payment.key, this.#payment.owner, this.#isCalled);
  }

  /** A call that is sent once more counts like any other. */
  async #assertCallLeft(): Promise<void> {
    const calls = await fromStore(this.#parts.payments.calls(this.#payment.key));
    if (calls >= PAYMENTS.callsPerPayment) throw refusalOf('exhausted');
  }

  /** Rejects early, before any I/O. Of concurrent copies only the reserved one counts. */
  async #begin(): Promise<void> {
    const { payments, limits, onStep, facilitator } = this.#parts;
    const { look, credit } = this.#options;
    const { payer, key, network } = this.#payment;
    const { payment } = this.#presented;
    const isNewPayer = !look.isKnownPayer;
    const verified = { network, payer, challenge: payment.requirement.extra.memo ?? key, isNewPayer };
    limits.assertRoom(verified, payments.now());
    this.#fee = feeChargeOf(facilitator, payment, isNewPayer);
    if (this.#fee && !fitsBudget(this.#fee, look.fees)) throw unavailable(BUDGET_USED_UP);
    const verdict = await fromStore(payments.reserve(this.#payment, { state: look.state, credit }));
    if (verdict === 'under_way' || verdict === 'covered') throw new NotNeeded(verdict);
    if (verdict !== 'reserved') throw refusalOf(verdict);
    this.#isReserved = true;
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
    const { inVersion1Header } = this.#options;
    const asked = { payment: this.#presented.payment, record: this.#payment, inVersion1Header };
    const { height, signature } = await verify(this.#parts, asked, verified);
    this.#height = height;
    if (signature === undefined) return;
    this.#options.trail.payment = { state: 'settled', transaction: signature };
    this.#isSettledBefore = true;
  }

  async #prepaid(json: string): Promise<Receipt> {
    const { payments } = this.#parts;
    await payments.keep(this.#payment.key, json).catch(() => undefined);
    const record = (await this.#known()) ?? { ...this.#payment, progress: 'settled' };
    const onDelivered = () => payments.delivered(this.#payment.key);
    return { ...receiptOf(record, this.#options, true), onDelivered };
  }

  /** Moves the record, also when the request has long ended. Whatever the database says, a settlement stays one. */
  async #record(settlement: Settlement): Promise<Settlement> {
    const { payments, onFailure, onStep, onSettlement } = this.#parts;
    const { key, owner } = this.#payment;
    onStep?.('settle');
    onSettlement?.(settlement.outcome);
    try {
      if (settlement.outcome === 'settled') {
        const proof = { progress: 'settled', signature: settlement.signature } as const;
        const { record, balanceMicros } = await payments.resolve(key, proof);
        this.#resolved = record;
        this.balanceMicros = balanceMicros;
      } else if (settlement.outcome === 'refused')
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
    const { payments, reconciler, onStep } = this.#parts;
    if (!settlement && !this.#isSold) await this.#leaveQueue();
    if (settlement?.outcome === 'unknown') {
      const open = await this.#known();
      if (open) await reconciler.reconcile(open);
    }
    const { inVersion1Header } = this.#options;
    const sent = { progress: 'unresolved', settlingSinceMs: this.#sentAtMs ?? 0 } as const;
    const record: PaymentRecord = this.#resolved ?? (await this.#known()) ?? { ...this.#payment, ...sent };
    if (settlement?.outcome === 'settled' || record.progress === 'settled') {
      const signature = settlement?.outcome === 'settled' ? settlement.signature : record.signature;
      const onDelivered = () => {
        onStep?.('respond');
        payments.delivered(this.#payment.key);
      };
      return { ...receiptOf({ ...record, ...(signature && { signature }) }, this.#options, false), onDelivered };
    }
    if (settlement?.outcome === 'unsent' && (await this.#isTakenBack())) throw unavailable(settlement.reason);
    if (record.progress === 'refused') throw refusedRefusal(record, record.reason ?? '', inVersion1Header);
    throw pendingRefusal(record, inVersion1Header);
  }

  /** Its turn has not come in time: it never comes, unless it has in this very moment. */
  async #leaveQueue(): Promise<void> {
    await this.#release();
    if (await this.#isTakenBack()) throw unavailable('earlier settlements of this payer take too long');
  }

  async #isTakenBack(): Promise<boolean> {
    const { key, owner } = this.#payment;
    const isTheirs = (record?: PaymentRecord) => record?.progress === 'reserved' && record.owner !== owner;
    const found = this.#parts.payments.find(key);
    return found.then((record) => record === undefined || isTheirs(record)).catch(() => false);
  }

  /** From here on a database that is down takes nothing away from what has been paid for. */
  async #known(): Promise<PaymentRecord | undefined> {
    return this.#parts.payments.find(this.#payment.key).catch(() => undefined);
  }
}

/** What a purchase begins with. */
export interface PurchaseOptions extends Telling {
  readonly trail: Trail;
  readonly look: Look;
  /** Up to where credit is bought; undefined if the payment brings none. */
  readonly credit: CreditLimits | undefined;
}
