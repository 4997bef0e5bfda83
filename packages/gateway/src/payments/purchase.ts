import { dollars, Refusal } from '@asset-gateway/protocol';
import type { Answer, Ask, Call, Delivery, Prepare, Trail } from '../call.ts';
import { answerFromCredit } from '../credit/debiting.ts';
import { fromStore } from '../from-store.ts';
import { LIMITS } from '../limits.ts';
import { storedText, unused } from '../receipts/paid-answers.ts';
import type { Deliveries } from './deliveries.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { type CreditSale, choosePayer } from './payer.ts';
import type { Payments } from './payments.ts';
import type { Purchase } from './purchase-state.ts';
import { type PaymentCall, type PresentedPayment, readPresentedPayment, readSent } from './read/payment.ts';
import type { Offer } from './read/requirement.ts';
import { isSigned } from './read/transaction.ts';
import {
  feeChargeOf,
  feePayerName,
  fitsBudget,
  hasOwnFeePayer,
  type PaymentRecord,
  type ReserveVerdict,
} from './record.ts';
import { FEES_USED_UP, refusalOf, unavailable } from './refusals.ts';
import type { StoredState } from './rows.ts';
import { beginSettlement, conclude, deliveryOf, inTurn, recordOutcome, send } from './settlement.ts';
import type { Proof } from './verification.ts';

/** What a route is sold with at this moment. */
export interface Seller {
  readonly dependencies: PaymentDependencies;
  readonly offer: Offer;
  /** Undefined if credit is off. */
  readonly credit: CreditSale | undefined;
  /** Why nothing can be bought now; undefined if it can. The answer to an earlier payment can always be fetched with that payment. */
  readonly whyClosed: string | undefined;
  readonly deliveries: Deliveries;
}

/**
 * A purchase, from the request to its answer, in ten steps. Refuses by throwing. Before step 7 no money can move, and what the purchase
 * has reserved is released. From step 7 on only the chain tells whether money has moved, and the record stays.
 */
export async function buy(seller: Seller, call: Call, trail: Trail, prepare: Prepare): Promise<Delivery> {
  // 1. Read the payment and check it, without I/O.
  const { sent, presented } = readPayment(seller, call, trail);
  if (presented instanceof Refusal) return answerOld(seller, sent, presented, prepare);
  // 2. Look up the payment, its wallet, and the wallet's earlier payments for this request.
  const look = await lookUp(seller.dependencies, sent, presented);
  // 3. Deliver an answer that was paid for before, by this payment or by another one of the wallet.
  const known = await answerKnown(seller, sent, look, prepare);
  if (known) return known;
  const purchase = openPurchase(seller, sent, presented, look);
  const owed = await answerOwed(seller, purchase, prepare);
  if (owed) return owed;
  // 4. Validate the call.
  const ask = prepare();
  // 5. Choose what pays, and take it: the price is held in the wallet's credit, or the payment is reserved.
  const debit = await choosePayer(seller.credit, purchase, () => reserve(seller, purchase));
  // 6 to 10 are answerFromCredit's if credit pays, otherwise complete's.
  if (debit && seller.credit) return answerFromCredit(seller.credit.debiting, debit, sent, () => ask);
  return complete(seller.dependencies, purchase, ask);
}

/** Steps 6 to 10 of a purchase whose payment is reserved. */
async function complete(dependencies: PaymentDependencies, purchase: Purchase, ask: Ask): Promise<Delivery> {
  const { payments, settlements, verifier, onStep, onFailure } = dependencies;
  const { key, owner, payer } = purchase.payment;
  let [isReserved, isCalled] = [true, false];
  let proof: Proof | undefined;
  const prove = async () => {
    const proven = await verifier.verify(purchase);
    onStep?.('verify');
    return proven;
  };
  onStep?.('reserve');
  try {
    // 6. Simulate the payment, then call the upstream.
    const answer = await ask({
      // Reserving has counted the first call, and compared it with the limit.
      async beforeSlot() {
        if (!proof) proof = await prove();
        else if ((await fromStore(payments.calls(key))) >= LIMITS.callsPerAnswer) throw refusalOf('exhausted');
      },
      async onSlot() {
        if (isCalled) await payments.called(key).catch(onFailure);
        isCalled = true;
      },
    });
    proof ??= await prove();
    if (proof.settledBefore)
      return deliveryOf(dependencies, purchase, answer, await storeAgain(payments, proof.settledBefore, answer));
    onStep?.('upstream');
    const attempt = { answer: storedText(answer), height: proof.height };
    const outcome = await inTurn(settlements, payer, async () => {
      // 7. Store the answer and note the settlement. From now on money may move.
      await beginSettlement(dependencies, purchase, attempt);
      isReserved = false;
      // 8. Sign, send and confirm.
      const settlement = await send(dependencies, purchase);
      // 9. Record the outcome, even after the request has ended.
      return recordOutcome(dependencies, purchase, settlement);
    });
    // 10. Answer, or refuse if the payment has not settled.
    return deliveryOf(dependencies, purchase, answer, await conclude(dependencies, purchase, outcome));
  } catch (error) {
    const releasing = isReserved ? payments.release(key, owner, isCalled) : undefined;
    // A database that does not answer must not delay its refusal: the reservation lapses with its lease.
    if (!(error instanceof Refusal && error.code === 'state_unavailable')) await releasing;
    throw error;
  }
}

/** Reads the payment of a request and compares it with the offer. */
function readPayment({ dependencies, offer }: Seller, call: Call, trail: Trail) {
  const { memos, payments, facilitator, calls, crypto } = dependencies;
  const sent = readSent({ calls, crypto, offer }, call, trail);
  const { requestHash } = sent.request;
  const isOwnFeePayer = hasOwnFeePayer(facilitator);
  const presented = readPresentedPayment({ ...sent, memos, requestHash, isOwnFeePayer, nowMs: payments.now() });
  return { sent, presented };
}

/** A payment that does not match the present offer buys nothing. It gets the answer that it bought before, or else the refusal. */
async function answerOld(seller: Seller, sent: PaymentCall, refusal: Refusal, prepare: Prepare): Promise<Delivery> {
  const { crypto, payments } = seller.dependencies;
  const { key, transfer, transaction } = sent;
  // A transfer without a fault is signed. Nothing is looked up for a payment that its payer has not signed.
  if (typeof transfer === 'string' && !isSigned(transaction, crypto)) throw refusal;
  const record = await fromStore(payments.find(key));
  // The payer was not looked up, so a debit may have paid in its place.
  const known = await answerKnown(seller, sent, { record, isCovered: true }, prepare);
  if (known) return known;
  throw seller.whyClosed === undefined ? refusal : unavailable(seller.whyClosed);
}

function lookUp({ payments }: PaymentDependencies, sent: PaymentCall, { key, network, payer }: PresentedPayment) {
  const [{ feePayer }, { requestHash }] = [sent.offer, sent.request];
  return fromStore(payments.look({ key, network, payer, requestHash }, feePayerName(network, feePayer)));
}

/** The answer that this very payment has bought, or that credit has bought in its place. */
async function answerKnown(
  { deliveries, credit }: Seller,
  sent: PaymentCall,
  { record, isCovered }: Pick<StoredState, 'record' | 'isCovered'>,
  prepare: Prepare,
) {
  const known = await deliveries.known(sent, record, prepare);
  if (known || !credit || !isCovered) return known;
  const { accounts, answers } = credit.debiting;
  const debit = await fromStore(accounts.debit(sent.key));
  return debit && answers.known(debit, sent, prepare);
}

/** The answer to the same request that the wallet has paid for and has not received. */
async function answerOwed({ deliveries, credit }: Seller, { sent, payment, look }: Purchase, prepare: Prepare) {
  const { hasTicket: isProven } = payment;
  const owed = await deliveries.owed(sent, { due: look.due, isProven }, prepare);
  if (owed || !credit || !isProven || look.owedDebit === undefined) return owed;
  const { accounts, answers } = credit.debiting;
  const debit = await fromStore(accounts.debit(look.owedDebit));
  return debit && answers.owed(debit, sent, prepare);
}

/** Begins a purchase, whose payment is not reserved yet. Refuses if nothing can be bought now. */
function openPurchase(
  { dependencies, whyClosed }: Seller,
  sent: PaymentCall,
  presented: PresentedPayment,
  look: StoredState,
): Purchase {
  const { request, trail } = sent;
  if (whyClosed !== undefined) throw unavailable(whyClosed);
  trail.wallet = presented.payer;
  trail.payment = unused;
  // The rest of the amount becomes credit.
  const price = Number(presented.amount) - presented.creditMicros;
  const feeLamports = hasOwnFeePayer(dependencies.facilitator) ? presented.feeLamports : 0;
  return { sent, look, payment: { ...request, ...presented, priceUsd: dollars(price), feeLamports } };
}

/** Reserves the payment. Refuses if too many are being verified, or if its fee does not fit the budget. */
async function reserve({ dependencies, credit }: Seller, purchase: Purchase): Promise<ReserveVerdict> {
  const { payments, verifier, facilitator } = dependencies;
  const { payment, look } = purchase;
  const nowMs = payments.now();
  verifier.assertRoom(purchase, nowMs);
  const fee = feeChargeOf(facilitator, payment, look.paidOnMainnet, nowMs);
  if (fee && !fitsBudget(fee, look.fees)) throw unavailable(FEES_USED_UP);
  return fromStore(payments.reserve(payment, credit, look));
}

/** Stores the answer that a payment bought before it came with this request. */
async function storeAgain(payments: Payments, settled: PaymentRecord, answer: Answer) {
  await payments.background.run('deliveries', () => payments.keep(settled.key, storedText(answer)));
  return { record: settled, isRepeat: true };
}
