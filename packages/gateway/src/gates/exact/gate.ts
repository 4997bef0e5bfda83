import { dollars, type Pricing, priceMicros, Refusal } from '@asset-gateway/protocol';
import type { Call, Trail } from '../../call.ts';
import type { Describe } from '../../describe/discovery.ts';
import { type NewPayment, PAYMENTS, type PaymentRecord } from '../../stores/payments.ts';
import { challenge, challengedUrl } from '../challenge.ts';
import type { Crypto } from '../crypto.ts';
import type { Admission, Gate } from '../gate.ts';
import type { OriginOf } from '../origin.ts';
import { Bought, type Fetching, Prepaid } from './bought.ts';
import { Buying, type Counter } from './buying.ts';
import { carriedPayment, usesOldHeader } from './header.ts';
import type { Memos } from './memo.ts';
import { gone, pendingRefusal, receiptOf, refusedRefusal, said } from './outcomes.ts';
import { readPurchase } from './purchase.ts';
import { paymentKeyOf, requestHashOf } from './request-hash.ts';
import { requirementOf, type Terms } from './terms.ts';
import { readTransaction } from './transaction.ts';

/** What the payment gate stands on. */
export interface ExactParts {
  readonly crypto: Crypto;
  /** Issues and reads memos; nothing when requirements have none. */
  readonly memos: Memos;
  readonly useMemos: boolean;
  readonly originOf: OriginOf;
  readonly pricing: Pricing;
  readonly describe: Describe;
  /** By cluster: all terms but the price and the fee payer. */
  readonly shops: ReadonlyMap<string, Omit<Terms, 'amount' | 'feePayer'>>;
  readonly counter: Counter;
  readonly randomId: () => string;
}

/** A call on its way through the gate. */
interface Visit {
  readonly call: Call;
  readonly trail: Trail;
  readonly terms: Terms;
  readonly requestHash: string;
  readonly inOldHeader: boolean;
}

/** The gate of the paid routes: one payment buys the answer to one request, exactly once. */
export class ExactGate implements Gate {
  readonly #parts: ExactParts;
  readonly #fetching: Fetching = new Set();

  constructor(parts: ExactParts) {
    this.#parts = parts;
  }

  async admit(call: Call, trail: Trail): Promise<Admission> {
    const origin = this.#parts.originOf(call.inbound);
    const terms = this.#termsOf(call);
    const requestHash = requestHashOf(call);
    if (terms.feePayer !== '') {
      const url = challengedUrl(call, origin);
      trail.challenge = (code) => {
        const accepts = [this.#quote(terms, requestHash)];
        return challenge(call, { code, url, accepts, extensions: {} }, this.#parts.describe);
      };
    }
    const carried = carriedPayment(call.inbound);
    if (!carried) this.#assertOpen(terms);
    if (!carried) throw new Refusal('payment_required', { payment: { state: 'unused' } });
    if (carried === 'malformed') throw new Refusal('payment_malformed', { payment: { state: 'refused' } });
    const transaction = readTransaction(carried.transaction);
    if (!transaction) {
      throw new Refusal('invalid_exact_svm_payload_transaction_could_not_be_decoded', {
        payment: { state: 'refused' },
      });
    }
    const key = paymentKeyOf(terms.network, transaction.message);
    const visit: Visit = { call, trail, terms, requestHash, inOldHeader: usesOldHeader(call.inbound) };
    const known = await this.#known(visit, key);
    if (known) return known;
    this.#assertOpen(terms);
    const nowMs = this.#parts.counter.payments.now();
    const judge = { crypto: this.#parts.crypto, memos: this.#parts.useMemos ? this.#parts.memos : undefined };
    const purchase = readPurchase(judge, { key, carried, transaction, terms, requestHash, nowMs });
    trail.wallet = purchase.transfer.payer;
    trail.payment = { state: 'unused' };
    const owed = await this.#owed(visit, purchase.transfer.payer);
    if (owed) return owed;
    return new Buying(this.#parts.counter, purchase, this.#newPayment(visit, purchase), visit);
  }

  #termsOf({ route }: Call): Terms {
    const shop = this.#parts.shops.get(route.cluster ?? '');
    if (!shop) throw new Refusal('facilitator_unavailable', { reason: 'nothing is sold on this cluster' });
    const feePayer = this.#parts.counter.facilitator.feePayer(shop.network) ?? '';
    return { ...shop, amount: String(priceMicros(route, this.#parts.pricing)), feePayer };
  }

  /** What has been bought can be fetched without a facilitator; nothing new can be bought. */
  #assertOpen({ feePayer }: Terms): void {
    if (feePayer === '') throw new Refusal('facilitator_unavailable', { reason: 'no fee payer known yet' });
  }

  #quote(terms: Terms, requestHash: string) {
    const { memos, useMemos, counter } = this.#parts;
    return requirementOf(terms, useMemos ? memos.issue(terms, requestHash, counter.payments.now()) : undefined);
  }

  #newPayment({ requestHash }: Visit, { payment, transfer }: ReturnType<typeof readPurchase>): NewPayment {
    return {
      key: payment.key,
      network: payment.network,
      requestHash,
      payer: transfer.payer,
      source: transfer.source,
      memo: transfer.memo,
      priceUsd: dollars(Number(transfer.amount)),
      transaction: payment.transaction,
      requirement: JSON.stringify(payment.requirement),
      owner: this.#parts.randomId(),
    };
  }

  /** What is known of this very payment decides, before its memo, its price or the request's input are looked at. */
  async #known(visit: Visit, key: string): Promise<Admission | undefined> {
    const record = await this.#upToDate(key);
    if (!record) return undefined;
    visit.trail.wallet = record.payer;
    if (record.requestHash !== visit.requestHash) {
      throw new Refusal('payment_already_used', {
        reason: 'another request',
        payment: { state: STATES[record.progress] },
      });
    }
    if (record.progress === 'settled') {
      visit.trail.payment = { state: 'settled', ...(record.signature && { transaction: record.signature }) };
      return this.#settled(visit, record);
    }
    if (record.progress === 'refused') throw refusedRefusal(record, record.reason ?? '', visit.inOldHeader);
    if (record.progress === 'unresolved') throw pendingRefusal(record, visit.inOldHeader);
    throw new Refusal('payment_in_progress', { payment: { state: 'in_progress' } });
  }

  /** The record of a payment, after the chain was asked where its outcome is open. */
  async #upToDate(key: string): Promise<PaymentRecord | undefined> {
    const { payments, reconciler } = this.#parts.counter;
    const record = await said(payments.find(key));
    if (record?.progress !== 'unresolved') return record;
    await reconciler.reconcile(record);
    return said(payments.find(key));
  }

  async #settled({ trail, inOldHeader }: Visit, record: PaymentRecord): Promise<Admission> {
    const { payments, onFailure } = this.#parts.counter;
    const answer = await said(payments.answer(record.key));
    const age = payments.now() - (record.resolvedAtMs ?? 0);
    if (answer === undefined && age >= PAYMENTS.answerMs) throw gone('answer no longer kept');
    trail.delivered = () => void payments.delivered(record.key).catch(onFailure);
    const receipt = receiptOf(record, inOldHeader, true);
    return answer === undefined ? new Prepaid(payments, record, receipt, this.#fetching) : new Bought(answer, receipt);
  }

  /** A payer whose answer is still owed gets it, and one whose payment is open waits for it: nobody pays twice. */
  async #owed(visit: Visit, payer: string): Promise<Admission | undefined> {
    const { payments } = this.#parts.counter;
    const open = await said(payments.owed(payer, visit.requestHash));
    if (!open) return undefined;
    const record = await this.#upToDate(open.key);
    if (record?.progress === 'settled') return this.#settled(visit, record);
    if (record?.progress === 'refused' || !record) return undefined;
    throw new Refusal('settlement_pending', {
      reason: 'another payment for this request is open',
      payment: { state: 'unused' },
    });
  }
}

const STATES = {
  reserved: 'in_progress',
  settling: 'in_progress',
  unresolved: 'pending',
  settled: 'settled',
  refused: 'refused',
} as const;
