import { Refusal } from '@asset-gateway/protocol';
import type { Admission } from '../call.ts';
import type { AccountHolder, NewDebit } from '../credit/account.ts';
import type { HoldResult, HoldVerdict } from '../credit/accounts.ts';
import { type CreditDependencies, debiting, refusalOf } from '../credit/debiting.ts';
import { fromStore } from '../gates/gate.ts';
import type { PaidCall } from '../receipts/response.ts';
import { type AccountQueue, busy } from './queue.ts';
import type { PaymentCall, PresentedPayment } from './read/payment.ts';

/** What covering needs. */
export interface CoveringDependencies extends CreditDependencies {
  readonly queue: AccountQueue;
}

/** A request that carries the payment with this key. */
type SentPayment = PaidCall & Pick<PaymentCall, 'key'>;

/** A payment that matches its request. Nothing is reserved yet. */
interface CoverablePayment extends Pick<PresentedPayment, 'network' | 'payer' | 'memo' | 'amount' | 'hasTicket'> {
  /** The price of one call; undefined for a route that sells only credit, whose payments always settle. */
  readonly priceMicros: number | undefined;
}

/** Verdicts that earlier payments do not change. */
const FINAL: readonly HoldVerdict[] = ['insufficient', 'busy', 'failing'];

/** How often a payment may lose the purchase to another call. */
const MOST_ATTEMPTS = 3;

/** Nothing was reserved: another call of the wallet buys credit, or its credit now pays for this call. */
const isNotNeeded = (error: unknown): boolean =>
  error instanceof Refusal && ['under_way', 'covered'].includes(error.details.reason ?? '');

/** The debit that may pay instead of a payment; undefined if only the payment may. */
function debitFor({ key, request }: SentPayment, payment: CoverablePayment): NewDebit | undefined {
  const { network, payer: wallet, memo, amount, hasTicket, priceMicros } = payment;
  // Only the client that got the challenge has the ticket. Anyone can copy a payment that failed on the chain, but not its ticket.
  if (priceMicros === undefined || !hasTicket) return undefined;
  // Not more than the signed amount, whatever the price is now.
  const micros = Math.min(priceMicros, Number(amount));
  return { ...request, network, wallet, id: key, by: 'payment', micros, ...(memo !== undefined && { memo }) };
}

/** What pays for a call now: the debit if its price is held, the purchase if credit does not suffice. */
function payingBy(dependencies: CoveringDependencies, sent: SentPayment, result: HoldResult, purchase: Admission) {
  if (result.verdict === 'held') return debiting(dependencies, result.debit, sent, true);
  const { verdict, account } = result;
  if (verdict !== 'busy' && verdict !== 'insufficient') throw refusalOf(verdict);
  // The reservation refuses a copy of the payment that buys.
  const isBuying = account.purchase !== undefined && account.purchase.key !== sent.key;
  return verdict === 'busy' || isBuying ? 'not yet' : purchase;
}

/** An admission that is chosen when it is first spent, and again if its purchase is not needed. `held`: the first choice. */
function chosenBy(choose: () => Promise<Admission>, purchase: Admission, held: Admission | undefined): Admission {
  let chosen = held;
  return {
    async spend(take) {
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
        chosen ??= await choose();
        try {
          return await chosen.spend(take);
        } catch (error) {
          if (!isNotNeeded(error)) throw error;
          chosen = undefined;
        }
      }
      throw busy('other nodes buy for this wallet');
    },
    settle: (answer) => (chosen ?? purchase).settle(answer),
    [Symbol.asyncDispose]: async () => chosen?.[Symbol.asyncDispose](),
  };
}

/**
 * Credit that may pay instead of a payment: if the wallet has enough, its call is paid from credit, and otherwise by the purchase. It
 * waits while another call of the wallet buys credit. `payment`: undefined if it does not match its request.
 */
export async function beginCover(
  dependencies: CoveringDependencies,
  sent: SentPayment,
  payment: CoverablePayment | undefined,
) {
  const { accounts, answers, leaseMs, queue } = dependencies;
  const holder = payment && { network: payment.network, wallet: payment.payer };
  const debit = payment && debitFor(sent, payment);
  /** Without a debit this only reads the account. */
  const tryToHold = async (holder: AccountHolder, isPastOwed: boolean): Promise<HoldResult> => {
    if (debit) return accounts.hold(debit, { leaseMs, isPastOwed });
    return { verdict: 'insufficient', account: await accounts.find(holder) };
  };
  const copying = debit ? undefined : accounts.debit(sent.key);
  const [first, copy] = await fromStore(Promise.all([holder && tryToHold(holder, false), copying]));
  const held = first?.verdict === 'held' ? debiting(dependencies, first.debit, sent, true) : undefined;
  const existing = first?.verdict !== 'held' && first?.debit?.id === sent.key ? first.debit : copy;
  // An answer that was owed or due may be delivered before the next attempt.
  let known = first && FINAL.includes(first.verdict) ? first : undefined;
  return {
    /** The answer that credit has paid for in place of this very payment. */
    known: async () => existing && answers.known(existing, sent),
    /** An answer to the same request that the wallet's credit has paid for before. */
    owed: async () => (first?.verdict === 'owed' && first.debit ? answers.owed(first.debit, sent) : undefined),
    /** Releases what it holds. */
    [Symbol.asyncDispose]: async () => held?.[Symbol.asyncDispose](),
    /** The purchase pays if credit cannot. */
    orBy(purchase: Admission): Admission {
      if (!holder) return purchase;
      const attempt = async () => {
        const result = known ?? (await fromStore(tryToHold(holder, true)));
        known = undefined;
        return payingBy(dependencies, sent, result, purchase);
      };
      return chosenBy(() => queue.until(holder, attempt), purchase, held);
    },
  };
}
