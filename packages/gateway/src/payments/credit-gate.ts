import { dollars, HEADERS, type RefusalCode, SIWX_EXTENSION, siwxExtension } from '@asset-gateway/protocol';
import type { Admission, Call, Challenge, Delivery, Gate, Trail } from '../call.ts';
import { type NewDebit, signedDebitId } from '../credit/account.ts';
import type { NotHeld } from '../credit/accounts.ts';
import { type CreditDependencies, type DebitContext, debiting, refusalOf } from '../credit/debiting.ts';
import { challengedUrl, fromStore } from '../gates/gate.ts';
import { signInInfo } from '../gates/siwx/gate.ts';
import { carriesSignIn, readValidSignIn, type SignInDependencies } from '../gates/siwx/sign-in.ts';
import type { ExactGate } from './gate.ts';
import { type CallDependencies, paidCallOf } from './read/requirement.ts';

/** What the gate of a route that takes credit needs. */
interface SpendingDependencies extends CreditDependencies, CallDependencies {
  /** The clock that forgets debits must judge nonces too, so that no nonce outlives its debit. */
  readonly signIn: SignInDependencies;
  /** CAIP-2: credit belongs to one network. */
  readonly network: string;
  /** The price of one call. */
  readonly priceMicros: number;
}

/** Nonces that spend have an epoch of their own: debits are stored, so these nonces outlive the process. */
const EPOCH = 'credit';

/** A nonce that spends once. */
const nonceOf = ({ nonces, clocks }: SignInDependencies, origin: string): string =>
  nonces.issue(origin, EPOCH, clocks.now());

/** Whether the client asks to spend credit, with a preference of RFC 7240. */
function prefersCredit({ inbound }: Call): boolean {
  const { prefer } = inbound.headers;
  const lines = typeof prefer === 'string' ? [prefer] : (prefer ?? []);
  return lines.some((line) => line.split(',').some((each) => each.split(';', 1)[0]?.trim().toLowerCase() === 'credit'));
}

/** A signature that spends names the path, however long it is. */
function pathUrl(call: Call, origin: string): string {
  const url = challengedUrl(call, origin);
  return url === origin ? `${origin}${call.path}` : url;
}

/** The gate of a paid route that also takes credit: a wallet's signature over this path spends its credit. */
export class CreditGate implements Gate {
  readonly #dependencies: SpendingDependencies;
  readonly #payments: ExactGate;

  constructor(dependencies: SpendingDependencies, payments: ExactGate) {
    this.#dependencies = dependencies;
    this.#payments = payments;
  }

  admit(call: Call, trail: Trail): Promise<Admission | Delivery> {
    const { headers } = call.inbound;
    const paying = [HEADERS.payment, HEADERS.version1Payment].some((name) => headers[name.toLowerCase()] !== undefined);
    return paying || !carriesSignIn(call) ? this.#payments.admit(call, trail) : this.#bySignature(call, trail);
  }

  /** Only a client that asks for it gets something to sign, because clients that see a sign-in never pay. */
  challenge(call: Call, code: RefusalCode): Challenge | undefined {
    if (!prefersCredit(call) && !carriesSignIn(call)) return this.#payments.challenge(call, code);
    const { signIn, originOf, network, priceMicros } = this.#dependencies;
    const origin = originOf(call.inbound);
    const info = signInInfo(origin, {
      uri: pathUrl(call, origin),
      nonce: nonceOf(signIn, origin),
      nowMs: signIn.clocks.wallNow(),
      statement: `Spend ${dollars(priceMicros)} USD of your credit on this call.`,
    });
    return this.#payments.challenge(call, code, { [SIWX_EXTENSION]: siwxExtension(info, network) });
  }

  async #bySignature(call: Call, trail: Trail): Promise<Admission | Delivery> {
    const { accounts, leaseMs, signIn, originOf, network, priceMicros: micros } = this.#dependencies;
    const origin = originOf(call.inbound);
    const rule = { origin, epoch: EPOCH, judgedByStore: false, network };
    const { payload } = readValidSignIn(signIn, call, rule);
    const holder = { network, wallet: payload.address };
    trail.wallet = payload.address;
    trail.payment = { state: 'unused' };
    const freshNonce = () => ({ [HEADERS.replayNonce]: nonceOf(signIn, origin) });
    const context = { ...paidCallOf(this.#dependencies, call, trail), freshNonce };
    const id = signedDebitId(holder, payload.nonce);
    const debit: NewDebit = { ...holder, ...context.request, id, by: 'signature', micros };
    const result = await fromStore(accounts.hold(debit, { leaseMs }));
    const { verdict } = result;
    const paid = verdict === 'held' ? undefined : await this.#paidBefore(result, payload.address, context);
    if (paid) return paid;
    if (verdict === 'insufficient') {
      this.#payments.assertOpen();
      throw refusalOf(verdict);
    }
    return debiting(this.#dependencies, debit, context, verdict === 'held');
  }

  /** The answer to this signature, or to an earlier call for the same request that was not delivered. */
  async #paidBefore({ verdict, debit }: NotHeld, wallet: string, context: DebitContext) {
    const { answers } = this.#dependencies;
    if (verdict === 'due') return this.#payments.owedTo(wallet, context);
    if (!debit) return undefined;
    return verdict === 'owed' ? answers.owed(debit, context) : answers.known(debit, context);
  }
}
