import { Refusal } from '@asset-gateway/protocol';
import type { Admission, Answer, Receipt, Slot, TakeSlot, Trail } from '../call.ts';
import type { CreditLimits } from '../credit/account.ts';
import { creditHeader } from '../credit/debiting.ts';
import { fromStore, MOST_CALLS } from '../gates/gate.ts';
import type { PaidCall } from '../receipts/response.ts';
import type { PaymentDependencies } from './dependencies.ts';
import type { Payment, Settlement } from './facilitator/facilitator.ts';
import { BUDGET_USED_UP, feeChargeOf, fitsBudget } from './facilitator/fee-payer.ts';
import { type FeeCharge, isKnownPayer, type NewPayment, type PaymentRecord, type SettlementAttempt } from './record.ts';
import * as responses from './responses.ts';
import type { StoredState } from './rows.ts';
import { verify } from './verification.ts';

const SETTLE_MS = 25_000;

/** One purchase: reserved and verified before the upstream call, settled before the response. */
export class Purchase implements Admission {
  readonly #dependencies: PaymentDependencies;
  readonly #record: NewPayment & Payment;
  readonly #request: PurchaseRequest;
  #isReserved = false;
  #isCalled = false;
  /** Verification has found that the payment had settled before. */
  #isSettledBefore = false;
  /** The record after this purchase has settled. */
  #settled: PaymentRecord | undefined;
  /** The wallet's credit after that. */
  #balanceMicros: number | undefined;
  /** From now on only the outcome of the settlement changes the record. */
  #isSettling = false;
  #height: number | undefined;
  /** The time from which money may move, by the database's clock. */
  #sentAtMs = 0;
  #fee: FeeCharge | undefined;

  constructor(dependencies: PaymentDependencies, record: NewPayment & Payment, request: PurchaseRequest) {
    this.#dependencies = dependencies;
    this.#record = record;
    this.#request = request;
  }

  async spend(take: TakeSlot): Promise<Slot> {
    const { payments, onFailure } = this.#dependencies;
    const isFirst = !this.#isReserved;
    if (isFirst) await this.#begin();
    // Retries of the upstream call count too.
    else if ((await fromStore(payments.calls(this.#record.key))) >= MOST_CALLS) throw responses.refusalOf('exhausted');
    const slot = await take();
    // The reservation has counted the first call.
    if (!isFirst) await payments.called(this.#record.key).catch(onFailure);
    this.#isCalled = true;
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    const { settlements, facilitator, onStep } = this.#dependencies;
    if (this.#isSettledBefore) return this.#prepaid(json);
    onStep?.('upstream');
    const signature = facilitator.signatureOf?.(this.#record);
    const attempt = { answer: json, signature, height: this.#height, fee: this.#fee };
    const settling = settlements.run(this.#record.payer, () => this.#settleNow(attempt));
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), SETTLE_MS).unref());
    return this.#conclude(await Promise.race([settling, late]));
  }

  /** The point of no return, one at a time for a payer: note the settlement, settle, then record the outcome. */
  async #settleNow(attempt: SettlementAttempt): Promise<Settlement> {
    const { payments, facilitator, onFailure, onStep } = this.#dependencies;
    const { key, owner } = this.#record;
    this.#sentAtMs = payments.now();
    const attempted = { ...attempt, settlingSinceMs: this.#sentAtMs };
    const verdict = await payments.settling(key, owner, attempted).catch((error) => this.#unwritten(error));
    if (verdict === 'fees used up') throw responses.unavailable(BUDGET_USED_UP);
    if (verdict !== 'settling') throw responses.refusalOf(verdict === 'covered' ? 'taken' : verdict);
    this.#isSettling = true;
    this.#request.trail.payment = { state: 'pending' };
    onStep?.('store');
    const settlement = await facilitator.settle(this.#record).catch((error): Settlement => {
      onFailure(error);
      return { outcome: 'unknown', signature: attempt.signature };
    });
    return this.#recordOutcome(settlement);
  }

  /** Nothing was sent. The payment is unused unless the database says otherwise. */
  async #unwritten(error: unknown): Promise<never> {
    const reason = String(error);
    const record = await this.#dependencies.payments.find(this.#record.key).catch(() => {
      throw new Refusal('state_unavailable', { reason, payment: { state: 'pending' } });
    });
    if (record && record.progress !== 'reserved')
      throw responses.pendingRefusal(record, this.#request.inVersion1Header);
    throw new Refusal('state_unavailable', { reason, payment: responses.unused });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isReserved && !this.#isSettling) await this.#release();
  }

  async #release(): Promise<void> {
    this.#isReserved = false;
    await this.#dependencies.payments.release(this.#record.key, this.#record.owner, this.#isCalled);
  }

  /** Rejects early, before any I/O. Of concurrent copies only the reserved one counts. */
  async #begin(): Promise<void> {
    const { payments, limits, onStep, facilitator } = this.#dependencies;
    const { look, credit } = this.#request;
    const { payer, key, network, requirement } = this.#record;
    const isNewPayer = !isKnownPayer(look.paidOnMainnet, payments.now());
    const verified = { network, payer, challenge: requirement.extra.memo ?? key, isNewPayer };
    limits.assertRoom(verified, payments.now());
    this.#fee = feeChargeOf(facilitator, this.#record, isNewPayer);
    if (this.#fee && !fitsBudget(this.#fee, look.fees)) throw responses.unavailable(BUDGET_USED_UP);
    const verdict = await fromStore(payments.reserve(this.#record, credit, look));
    if (verdict !== 'reserved') throw responses.refusalOf(verdict);
    this.#isReserved = true;
    onStep?.('reserve');
    const end = limits.enter(verified, payments.now());
    try {
      const request = { ...this.#request, record: this.#record, verified };
      const { height, signature } = await verify(this.#dependencies, request);
      this.#height = height;
      this.#isSettledBefore = signature !== undefined;
      if (signature !== undefined) this.#request.trail.payment = { state: 'settled', transaction: signature };
      onStep?.('verify');
    } finally {
      end();
    }
  }

  async #prepaid(json: string): Promise<Receipt> {
    const { payments } = this.#dependencies;
    await payments.background.run('deliveries', () => payments.keep(this.#record.key, json));
    const record = (await this.#known()) ?? { ...this.#record, progress: 'settled' };
    return this.#receiptOf(record, true);
  }

  /** Records the outcome, even after the request has ended. A failure of the database does not change the outcome. */
  async #recordOutcome(settlement: Settlement): Promise<Settlement> {
    const { payments, onFailure, onStep, onSettlement } = this.#dependencies;
    const { key, owner } = this.#record;
    onStep?.('settle');
    onSettlement?.(settlement.outcome);
    try {
      const { record, balanceMicros } = await payments.resolve(key, settlement, owner);
      if (settlement.outcome === 'settled') {
        this.#settled = record;
        this.#balanceMicros = balanceMicros;
      }
    } catch (error) {
      onFailure(error);
    }
    onStep?.('record');
    return settlement;
  }

  async #conclude(settlement: Settlement | undefined): Promise<Receipt> {
    const { reconciler } = this.#dependencies;
    let reason = settlement?.outcome === 'unsent' ? settlement.reason : undefined;
    if (!settlement && !this.#isSettling) {
      // Gives up waiting for earlier settlements of the payer, unless this one has just begun.
      await this.#release();
      reason = 'earlier settlements of this payer take too long';
    }
    if (reason !== undefined && (await this.#isTakenBack())) throw responses.unavailable(reason);
    if (settlement?.outcome === 'unknown') {
      const open = await this.#known();
      if (open) await reconciler.reconcile(open);
    }
    const { inVersion1Header } = this.#request;
    const sent = { progress: 'unresolved', settlingSinceMs: this.#sentAtMs } as const;
    const record: PaymentRecord = this.#settled ?? (await this.#known()) ?? { ...this.#record, ...sent };
    if (settlement?.outcome === 'settled')
      return this.#receiptOf({ ...record, signature: settlement.signature }, false);
    if (record.progress === 'settled') return this.#receiptOf(record, false);
    if (record.progress === 'refused') throw responses.refusedRefusal(record, record.reason ?? '', inVersion1Header);
    throw responses.pendingRefusal(record, inVersion1Header);
  }

  #receiptOf(record: PaymentRecord, replayed: boolean): Receipt {
    const { payments, onStep } = this.#dependencies;
    const { key, creditMicros } = this.#record;
    const onDelivered = () => {
      onStep?.('respond');
      payments.delivered(key);
    };
    const receipt = { ...responses.receiptOf(record, this.#request, replayed), onDelivered };
    if (creditMicros === 0) return receipt;
    const balance = this.#balanceMicros === undefined ? {} : creditHeader(undefined, this.#balanceMicros);
    return { ...receipt, grantedMicros: creditMicros, headers: { ...receipt.headers, ...balance } };
  }

  async #isTakenBack(): Promise<boolean> {
    const found = this.#dependencies.payments.find(this.#record.key);
    return found.then((record) => record === undefined).catch(() => false);
  }

  /** An outage of the database does not fail a payment that may have settled. */
  async #known(): Promise<PaymentRecord | undefined> {
    return this.#dependencies.payments.find(this.#record.key).catch(() => undefined);
  }
}

/** The request of a purchase. */
interface PurchaseRequest extends PaidCall {
  readonly trail: Trail;
  readonly look: StoredState;
  /** Undefined if credit is off. */
  readonly credit: CreditLimits | undefined;
}
