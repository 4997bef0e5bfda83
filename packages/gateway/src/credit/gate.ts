import { HEADERS, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Call, Challenge, Trail } from '../call.ts';
import { fromStore } from '../gates/from-store.ts';
import type { Admission, Delivery, Gate } from '../gates/gate.ts';
import { carriesSignIn, readValidSignIn } from '../gates/siwx/sign-ins.ts';
import type { SignedRequest } from '../payments/cover.ts';
import type { HoldVerdict } from './accounts.ts';
import { EPOCH, freshNonce, type SpendingParts } from './challenge.ts';
import type { ChargedAnswers } from './charged-answers.ts';
import { type AccountHolder, type Debit, type NewDebit, signedDebitId } from './debit.ts';
import { Debiting, type DebitParts } from './debiting.ts';
import type { HeadersOf } from './receipts.ts';

/** What an answer that a signature has paid for says of it: x402's response, only where it carries a receipt. */
export interface Answering extends Pick<NewDebit, 'resourceUrl'> {
  readonly headersOf: HeadersOf;
}

/** What the gate of a route stands on that takes credit by signature. */
export interface CreditGateParts extends DebitParts, SpendingParts {
  readonly answers: ChargedAnswers;
  readonly randomId: () => string;
  readonly requestHashOf: (call: Call) => string;
  /** How a signature is answered that pays for this call. */
  readonly answering: (call: Call, origin: string) => Answering;
}

/** The gate that payments pass, as far as credit needs it. */
export interface PaymentGate extends Gate {
  /** Refuses where nothing can be bought at the moment. */
  assertOpen(): void;
  /** What this wallet has paid for this very request and not got; refuses while the outcome is open. */
  owedTo(holder: AccountHolder, request: SignedRequest): Promise<Admission | Delivery | undefined>;
}

/** The gate of a paid route that takes credit as well: a wallet's signature over this very path spends what it has paid before. */
export class CreditGate implements Gate {
  readonly #parts: CreditGateParts;
  readonly #payments: PaymentGate;

  constructor(parts: CreditGateParts, payments: PaymentGate) {
    this.#parts = parts;
    this.#payments = payments;
  }

  admit(call: Call, trail: Trail): Promise<Admission | Delivery> {
    const { headers } = call.inbound;
    const paying = [HEADERS.payment, HEADERS.version1Payment].some((name) => headers[name.toLowerCase()] !== undefined);
    return paying || !carriesSignIn(call) ? this.#payments.admit(call, trail) : this.#bySignature(call, trail);
  }

  challenge(call: Call, code: RefusalCode): Challenge | undefined {
    return this.#payments.challenge(call, code);
  }

  async #bySignature(call: Call, trail: Trail): Promise<Admission | Delivery> {
    const { originOf, signIn, network, priceMicros, requestHashOf, answering, randomId } = this.#parts;
    const origin = originOf(call.inbound);
    const rule = { origin, epoch: EPOCH, judgedByStore: false, places: 'path', network } as const;
    const { payload } = readValidSignIn(signIn, call, rule);
    const holder = { network, wallet: payload.address };
    trail.wallet = payload.address;
    trail.payment = { state: 'unused' };
    const requestHash = requestHashOf(call);
    const fresh = () => ({ [HEADERS.replayNonce]: freshNonce(signIn, origin) });
    const { headersOf, ...named } = answering(call, origin);
    const ask = { route: call.route.id, requestHash, requestId: trail.requestId, ...named };
    const id = signedDebitId(holder, payload.nonce);
    const debit: NewDebit = { ...holder, ...ask, id, micros: priceMicros, by: 'signature', owner: randomId() };
    const again: HeadersOf = (charged) => ({ ...headersOf(charged), ...fresh() });
    const { accounts, leaseMs, onStep } = this.#parts;
    const result = await fromStore(accounts.hold(debit, { leaseMs }));
    const { verdict } = result;
    const earlier = verdict === 'held' ? undefined : result.debit;
    const paid = earlier ? await this.#paidBefore(verdict, earlier, { requestHash, headersOf: again }) : undefined;
    const settled = verdict === 'due' ? await this.#payments.owedTo(holder, { call, origin, requestHash }) : undefined;
    const delivered = paid ?? settled;
    if (delivered) return delivered;
    if (verdict === 'insufficient') {
      this.#payments.assertOpen();
      throw new Refusal('credit_exhausted', { payment: { state: 'unused' } });
    }
    if (verdict === 'held') onStep?.('hold');
    return new Debiting(this.#parts, debit, { headersOf, admissionHeaders: fresh, isHeld: verdict === 'held' });
  }

  /** What an earlier debit has bought: this very one, or another for the same request. */
  #paidBefore(
    verdict: HoldVerdict,
    debit: Debit,
    { requestHash, headersOf }: Again,
  ): Promise<Admission | Delivery | undefined> {
    const { answers } = this.#parts;
    return verdict === 'owed' ? answers.owed(debit, headersOf) : answers.known(debit, requestHash, headersOf);
  }
}

/** The same request, and what its answer carries. */
interface Again {
  readonly requestHash: string;
  readonly headersOf: HeadersOf;
}
