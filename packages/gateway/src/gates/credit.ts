import {
  dollars,
  HEADERS,
  mostMicrosOf,
  type Refusal,
  type RefusalCode,
  SIWX_EXTENSION,
  siwxExtension,
  spendStatement,
} from '@asset-gateway/protocol';
import type { Call, Challenge, Delivery, Gate, Prepare, RequestFacts } from '../call.ts';
import { type NewDebit, signedDebitId } from '../credit/account.ts';
import type { NotHeld } from '../credit/accounts.ts';
import { answerFromCredit, type CreditDependencies, type DebitContext, refusalOfHold } from '../credit/debiting.ts';
import { fromStore } from '../from-store.ts';
import { challengedUrl } from '../origin.ts';
import { type CallDependencies, paidCallOf } from '../payments/read/requirement.ts';
import { priceRisen } from '../payments/refusals.ts';
import { UNUSED_PAYMENT } from '../receipts/paid-answers.ts';
import type { ExactGate } from './exact.ts';
import { signInInfo } from './siwx/gate.ts';
import { carriesSignIn, readValidSignIn, type SignInDependencies } from './siwx/sign-in.ts';

/** Dependencies of the gate of a route that takes credit. */
interface CreditGateDependencies {
  readonly debiting: CreditDependencies;
  readonly calls: CallDependencies;
  /** Its clock must be the one by which debits are deleted, so that no nonce outlives its debit. */
  readonly signIn: SignInDependencies;
  /** The network whose credit pays, as a CAIP-2 id. */
  readonly network: string;
  /** The list price of one call, in millionths of a dollar. */
  readonly priceMicros: number;
}

/** The epoch of nonces for credit. Their debits are stored and outlive the process, so the epoch never changes. */
const EPOCH = 'credit';

/** Returns a fresh nonce for one call from credit. */
const nonceOf = ({ nonces, clocks }: SignInDependencies, origin: string): string =>
  nonces.issue(origin, EPOCH, clocks.now());

/** Whether the client asks to spend credit, by a preference of RFC 7240. */
function prefersCredit({ inbound }: Call): boolean {
  const { prefer } = inbound.headers;
  const lines = typeof prefer === 'string' ? [prefer] : (prefer ?? []);
  return lines.some((line) => line.split(',').some((each) => each.split(';', 1)[0]?.trim().toLowerCase() === 'credit'));
}

/** Returns the URL that a signature for credit names. It always contains the path, even a long one. */
function pathUrl(call: Call, origin: string): string {
  const url = challengedUrl(call, origin);
  return url === origin ? `${origin}${call.path}` : url;
}

/** Returns why a signed statement may not spend this many millionths of a dollar; undefined if it may. */
export function statementRefusal(statement: string | undefined, micros: number): Refusal | undefined {
  if ((mostMicrosOf(statement) ?? -1) >= micros) return undefined;
  const wanted = `Spend ${dollars(micros)} USD`;
  return priceRisen(
    `The signed statement must begin with the most that the call may cost, now "${wanted}"; sign the fresh challenge.`,
  );
}

/** The gate of a paid route that also takes credit. A wallet's signature over this path spends the wallet's credit. */
export class CreditGate implements Gate {
  readonly #dependencies: CreditGateDependencies;
  readonly #payments: ExactGate;

  constructor(dependencies: CreditGateDependencies, payments: ExactGate) {
    this.#dependencies = dependencies;
    this.#payments = payments;
  }

  serve(call: Call, facts: RequestFacts, prepare: Prepare): Promise<Delivery> {
    const { headers } = call.inbound;
    const paying = [HEADERS.payment, HEADERS.version1Payment].some((name) => headers[name.toLowerCase()] !== undefined);
    const isSigned = carriesSignIn(call) && !paying;
    return isSigned ? this.#bySignature(call, facts, prepare) : this.#payments.serve(call, facts, prepare);
  }

  /**
   * Returns the challenge of a 402. It offers the sign-in only to clients that ask for credit, because stock clients that see a sign-in
   * never pay.
   */
  challenge(call: Call, code: RefusalCode): Challenge | undefined {
    if (!prefersCredit(call) && !carriesSignIn(call)) return this.#payments.challenge(call, code);
    const { signIn, calls, network, priceMicros } = this.#dependencies;
    const origin = calls.originOf(call.inbound);
    const info = signInInfo(origin, {
      uri: pathUrl(call, origin),
      nonce: nonceOf(signIn, origin),
      nowMs: signIn.clocks.wallNow(),
      statement: spendStatement(priceMicros),
    });
    return this.#payments.challenge(call, code, { [SIWX_EXTENSION]: siwxExtension(info, network) });
  }

  async #bySignature(call: Call, facts: RequestFacts, prepare: Prepare): Promise<Delivery> {
    const { debiting, calls, signIn, network, priceMicros: micros } = this.#dependencies;
    const { accounts, holdMs } = debiting;
    const origin = calls.originOf(call.inbound);
    const rule = { origin, epoch: EPOCH, judgedByStore: false, network };
    const { payload } = readValidSignIn(signIn, call, rule);
    const holder = { network, wallet: payload.address };
    const freshNonce = () => ({ [HEADERS.replayNonce]: nonceOf(signIn, origin) });
    Object.assign(facts, { wallet: payload.address, payment: UNUSED_PAYMENT, headers: freshNonce });
    const context = { ...paidCallOf(calls, call, facts), freshNonce };
    const id = signedDebitId(holder, payload.nonce);
    const debit: NewDebit = { ...holder, ...context.request, id, by: 'signature', micros };
    const dearer = statementRefusal(payload.statement, micros);
    if (dearer) return this.#chargedBefore(id, context, prepare, dearer);
    let result = await fromStore(accounts.hold(debit, { holdMs }));
    if (result.verdict !== 'held') {
      const paid = await this.#paidBefore(result, payload.address, context, prepare);
      if (paid) return paid;
      // The owed answer was fetched too often. So this signature buys another one.
      if (result.verdict === 'owed' || result.verdict === 'due')
        result = await fromStore(accounts.hold(debit, { holdMs, isPastOwed: true }));
    }
    if (result.verdict === 'insufficient') this.#payments.assertOpen();
    if (result.verdict !== 'held') throw refusalOfHold(result.verdict);
    return answerFromCredit(debiting, debit, context, prepare);
  }

  /** Returns the answer for which this signature has been charged, even at an earlier price. Throws the other refusal if there is none. */
  async #chargedBefore(id: string, context: DebitContext, prepare: Prepare, otherwise: Refusal) {
    const { accounts, answers } = this.#dependencies.debiting;
    const debit = await fromStore(accounts.debit(id));
    if (debit) return answers.deliverKnown(debit, context, prepare);
    throw otherwise;
  }

  /** Returns the answer to this signature, or to an earlier call for the same request whose answer was not delivered. */
  async #paidBefore({ verdict, debit }: NotHeld, wallet: string, context: DebitContext, prepare: Prepare) {
    const { answers } = this.#dependencies.debiting;
    if (verdict === 'due') return this.#payments.deliverOwedTo(wallet, context, prepare);
    if (!debit) return undefined;
    return verdict === 'owed'
      ? answers.deliverCharged(debit, context, prepare)
      : answers.deliverKnown(debit, context, prepare);
  }
}
