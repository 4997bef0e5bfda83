import { dollars, Refusal } from '@asset-gateway/protocol';
import type { Answer, Ask, Call, Delivery, Prepare, RequestFacts } from '../call.ts';
import { answerFromCredit } from '../credit/debiting.ts';
import { fromStore, untilReleased } from '../from-store.ts';
import { LIMITS } from '../limits.ts';
import { storedText, UNUSED_PAYMENT } from '../receipts/paid-answers.ts';
import type { Deliveries } from './deliveries.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { type CreditSale, choosePayer } from './payer.ts';
import type { Payments } from './payments.ts';
import type { Purchase } from './purchase-state.ts';
import { type PaymentCall, type PresentedPayment, readPaymentCall, readPresentedPayment } from './read/payment.ts';
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
import { FEES_USED_UP, refusalOfReservation, unavailable } from './refusals.ts';
import type { StoredState } from './rows.ts';
import { beginSettlement, conclude, deliveryOf, inTurn, recordOutcome, send } from './settlement.ts';
import type { VerificationResult } from './verification.ts';

/** What sells a route's answers, in its present state. */
export interface Seller {
  readonly dependencies: PaymentDependencies;
  readonly offer: Offer;
  /** What the route needs to sell credit; undefined if credit is off. */
  readonly credit: CreditSale | undefined;
  /** Why nothing can be bought now; undefined if it can. A payment that has bought an answer gets that answer even then. */
  readonly whyClosed: string | undefined;
  readonly deliveries: Deliveries;
}

/**
 * Sells the answer to one request, in ten steps. Throws a refusal if a step fails. Before step 7 no money can move, and a failure releases
 * what the purchase has reserved. From step 7 on only the chain tells whether money has moved, and the record stays. The purchase ends
 * early if the answer was paid for before: in step 3, or in step 6 if the chain shows that this payment has settled.
 */
export async function buy(seller: Seller, call: Call, facts: RequestFacts, prepare: Prepare): Promise<Delivery> {
  // 1. Read the payment and check it, without I/O.
  const { context, presented } = presentedIn(seller, call, facts);
  if (presented instanceof Refusal) return deliverBoughtOrRefuse(seller, context, presented, prepare);
  // 2. Look up the payment, its wallet, and the wallet's earlier payments for this request.
  const stored = await lookUp(seller.dependencies, context, presented);
  // 3. Deliver an answer that was paid for before: by this payment, or by another one of the wallet unless nothing can be bought now.
  const known = await deliverBought(seller, context, stored, prepare);
  if (known) return known;
  // What this payment has bought is delivered even if nothing can be bought now.
  assertOpen(seller);
  facts.wallet = presented.payer;
  facts.payment = UNUSED_PAYMENT;
  const purchase = purchaseOf(seller, context, presented, stored);
  const owed = await deliverOwedAnswer(seller, purchase, prepare);
  if (owed) return owed;
  // 4. Validate the call.
  const ask = prepare();
  // 5. Choose what pays: hold the price in the wallet's credit, or reserve the payment.
  const debit = await choosePayer(seller.credit, purchase, () => reserve(seller, purchase));
  // Steps 6 to 10. `answerFromCredit` takes a function, because a call by signature is validated only after its hold. This call is valid
  // already.
  if (debit && seller.credit) return answerFromCredit(seller.credit.debiting, debit, context, () => ask);
  return complete(seller.dependencies, purchase, ask);
}

/** Takes steps 6 to 10 of a purchase whose payment is reserved. */
async function complete(dependencies: PaymentDependencies, purchase: Purchase, ask: Ask): Promise<Delivery> {
  const { payments, settlements, onStep, onFailure } = dependencies;
  const { key, owner, payer } = purchase.payment;
  let mayRelease = true;
  // The reservation has counted the first call. If no call takes a slot, `release` subtracts it again.
  let isCalled = false;
  let proof: VerificationResult | undefined;
  onStep?.('reserve');
  try {
    // 6. Simulate the payment, then call the upstream.
    const answer = await ask({
      // The reservation has compared the first call with the limit, so only further calls are compared here.
      async beforeSlot() {
        if (!proof) proof = await prove(dependencies, purchase);
        else if ((await fromStore(payments.calls(key))) >= LIMITS.callsPerAnswer)
          throw refusalOfReservation('exhausted');
      },
      async onSlot() {
        if (isCalled) await payments.called(key).catch(onFailure);
        isCalled = true;
      },
    });
    // An answer that took no slot, such as that of a purchase of credit, has not verified the payment yet. Money moves next, so verify now.
    proof ??= await prove(dependencies, purchase);
    if (proof.settledBefore)
      return deliveryOf(dependencies, purchase, answer, await storeAgain(payments, proof.settledBefore, answer));
    onStep?.('upstream');
    const attempt = { answer: storedText(answer), height: proof.height, isCalled };
    // A payer has one settlement at a time. The outcome is undefined after `TIMES.settleMs`, but the settlement goes on.
    const outcome = await inTurn(settlements, payer, async () => {
      // 7. Store the answer, and that the settlement begins. If this throws, nothing was sent, and the reservation may be released:
      // `refuseUnconfirmed` deals with a write that arrives late, and a release does nothing to a settlement that has begun.
      await beginSettlement(dependencies, purchase, attempt);
      // From now on money may move.
      mayRelease = false;
      // 8. Sign, send and confirm.
      const settlement = await send(dependencies, purchase);
      // 9. Record the outcome, even after the request has ended.
      return recordOutcome(dependencies, purchase, settlement);
    });
    // 10. Answer, or refuse if the payment has not settled. If the outcome is not known in time, the record decides.
    return deliveryOf(dependencies, purchase, answer, await conclude(dependencies, purchase, outcome));
  } catch (error) {
    if (mayRelease) await untilReleased(error, payments.release(key, owner, isCalled));
    throw error;
  }
}

async function prove({ verifier, onStep }: PaymentDependencies, purchase: Purchase): Promise<VerificationResult> {
  const proof = await verifier.verify(purchase);
  onStep?.('verify');
  return proof;
}

/**
 * Reads the payment of a request, and compares all but its amount with the present offer. The amount must be that of the payment's own
 * challenge, whose price may be an earlier one.
 */
function presentedIn({ dependencies, offer }: Seller, call: Call, facts: RequestFacts) {
  const { memos, payments, facilitator, calls, crypto } = dependencies;
  const context = readPaymentCall({ calls, crypto, offer }, call, facts);
  const { requestHash } = context.request;
  const isOwnFeePayer = hasOwnFeePayer(facilitator);
  const presented = readPresentedPayment({ ...context, memos, requestHash, isOwnFeePayer, nowMs: payments.now() });
  return { context, presented };
}

/** Delivers what a payment that does not match its request has bought before; otherwise throws the refusal. */
async function deliverBoughtOrRefuse(
  seller: Seller,
  context: PaymentCall,
  refusal: Refusal,
  prepare: Prepare,
): Promise<Delivery> {
  const { crypto, payments } = seller.dependencies;
  const { key, transfer, transaction } = context;
  // `presentedIn` has checked the signature of a transfer without a fault. A payment that its payer has not signed is not looked up.
  if (typeof transfer === 'string' && !isSigned(transaction, crypto)) throw refusal;
  const record = await fromStore(payments.find(key));
  // The wallet was not looked up, so credit may have covered this payment. `isCovered: true` makes `deliverBought` look for its debit.
  const known = await deliverBought(seller, context, { record, isCovered: true }, prepare);
  if (known) return known;
  assertOpen(seller);
  throw refusal;
}

/** Throws a refusal while nothing can be bought. */
function assertOpen({ whyClosed }: Seller): void {
  if (whyClosed !== undefined) throw unavailable(whyClosed);
}

function lookUp({ payments }: PaymentDependencies, context: PaymentCall, { key, network, payer }: PresentedPayment) {
  const { feePayer } = context.offer;
  const { requestHash } = context.request;
  return fromStore(payments.look({ key, network, payer, requestHash }, feePayerName(network, feePayer)));
}

/** Returns the answer that this payment has bought, or that credit has bought in its place. */
async function deliverBought(
  { deliveries, credit }: Seller,
  context: PaymentCall,
  { record, isCovered }: Pick<StoredState, 'record' | 'isCovered'>,
  prepare: Prepare,
) {
  const known = await deliveries.deliverKnown(context, record, prepare);
  if (known || !credit || !isCovered) return known;
  const { accounts, answers } = credit.debiting;
  const debit = await fromStore(accounts.debit(context.key));
  return debit && answers.deliverKnown(debit, context, prepare);
}

/** Returns the answer to the same request that the wallet has paid for and not received. */
async function deliverOwedAnswer(
  { deliveries, credit }: Seller,
  { context, payment, stored }: Purchase,
  prepare: Prepare,
) {
  const { hasTicket: isProven } = payment;
  const owed = await deliveries.deliverOwed(context, { due: stored.due, isProven }, prepare);
  if (owed || !credit || !isProven || stored.owedDebit === undefined) return owed;
  const { accounts, answers } = credit.debiting;
  const debit = await fromStore(accounts.debit(stored.owedDebit));
  return debit && answers.deliverCharged(debit, context, prepare);
}

/** Returns the purchase of a payment that is not reserved yet. */
function purchaseOf(
  { dependencies }: Seller,
  context: PaymentCall,
  presented: PresentedPayment,
  stored: StoredState,
): Purchase {
  const amount = Number(presented.amount);
  // The price is the part of the amount that does not become credit. A pure purchase of credit is priced at its whole amount.
  const price = amount - presented.creditMicros || amount;
  const feeLamports = hasOwnFeePayer(dependencies.facilitator) ? presented.feeLamports : 0;
  return { context, stored, payment: { ...presented, ...context.request, priceUsd: dollars(price), feeLamports } };
}

/** Reserves the payment. Throws a refusal if too many payments are being verified, or if the payment's fee does not fit the budget. */
async function reserve({ dependencies, credit }: Seller, purchase: Purchase): Promise<ReserveVerdict> {
  const { payments, verifier, facilitator } = dependencies;
  const { payment, stored } = purchase;
  const nowMs = payments.now();
  verifier.assertMayVerify(purchase, nowMs);
  const fee = feeChargeOf(facilitator, payment, stored.paidOnMainnet, nowMs);
  if (fee && !fitsBudget(fee, stored.fees)) throw unavailable(FEES_USED_UP);
  return fromStore(payments.reserve(payment, credit, stored));
}

/** Stores the answer of a payment that had settled before this request brought it. */
async function storeAgain(payments: Payments, settled: PaymentRecord, answer: Answer) {
  await payments.background.run('deliveries', () => payments.keep(settled.key, storedText(answer)));
  return { record: settled, isRepeat: true };
}
