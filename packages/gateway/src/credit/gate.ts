import { dollars, HEADERS, Refusal, type RefusalCode, SIWX_EXTENSION, siwxExtension } from '@asset-gateway/protocol';
import type { Call, Challenge, Trail } from '../call.ts';
import { challengedUrl, type OriginOf } from '../gates/challenge.ts';
import { type Admission, type Delivery, fromStore, type Gate } from '../gates/gate.ts';
import { carriesSignIn, readValidSignIn, type SignInDependencies } from '../gates/siwx/sign-in.ts';
import type { SignedRequest } from '../payments/cover.ts';
import { type AccountHolder, type NewDebit, signedDebitId } from './account.ts';
import { type ChargedAnswers, type DebitDependencies, Debiting, type HeadersOf } from './debiting.ts';

/** What a signature spends on one route, and how it is checked. */
export interface SpendingTerms {
  readonly signIn: SignInDependencies;
  readonly originOf: OriginOf;
  /** CAIP-2: credit belongs to one network. */
  readonly network: string;
  readonly priceMicros: number;
}

/** What answers to a signature contain besides credit: x402's response, only if receipts are signed. */
export interface SignedResponse extends Pick<NewDebit, 'resourceUrl'> {
  readonly headersOf: HeadersOf;
}

/** What the gate of a route needs that takes credit by signature. */
export interface CreditGateDependencies extends DebitDependencies, SpendingTerms {
  readonly answers: ChargedAnswers;
  readonly randomId: () => string;
  readonly requestHashOf: (call: Call) => string;
  readonly responseTo: (call: Call, origin: string) => SignedResponse;
}

/** The payment gate of the same route. */
interface PaymentGate extends Gate {
  /** Refuses by throwing if nothing can be bought now. */
  assertOpen(): void;
  /** The answer to this request that a wallet has paid for and not received. Refuses while its outcome is unknown. */
  owedTo(holder: AccountHolder, request: SignedRequest): Promise<Admission | Delivery | undefined>;
}

/** Nonces that spend have an epoch of their own: debits are stored, so these nonces outlive the process. */
const EPOCH = 'credit';
const LIFETIME_MS = 300_000;

/** A nonce that spends once. */
const freshNonce = ({ nonces, clocks }: SignInDependencies, origin: string): string =>
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

/** The sign-in extension of a challenge. Only for clients that ask for it, because clients that see it never pay. */
export function spendingExtensions(terms: SpendingTerms, call: Call): Readonly<Record<string, unknown>> {
  if (!prefersCredit(call) && !carriesSignIn(call)) return {};
  const { network, originOf, signIn, priceMicros } = terms;
  const origin = originOf(call.inbound);
  const nowMs = signIn.clocks.wallNow();
  const info = {
    domain: origin.slice(origin.indexOf('//') + 2),
    uri: pathUrl(call, origin),
    version: '1' as const,
    nonce: freshNonce(signIn, origin),
    issuedAt: new Date(nowMs).toISOString(),
    expirationTime: new Date(nowMs + LIFETIME_MS).toISOString(),
    statement: `Spend ${dollars(priceMicros)} USD of your credit on this call.`,
  };
  return { [SIWX_EXTENSION]: siwxExtension(info, network) };
}

/** The gate of a paid route that also takes credit: a wallet's signature over this path spends its credit. */
export class CreditGate implements Gate {
  readonly #dependencies: CreditGateDependencies;
  readonly #payments: PaymentGate;

  constructor(dependencies: CreditGateDependencies, payments: PaymentGate) {
    this.#dependencies = dependencies;
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
    const { signIn, network, priceMicros, requestHashOf, responseTo, randomId } = this.#dependencies;
    const origin = this.#dependencies.originOf(call.inbound);
    const rule = { origin, epoch: EPOCH, judgedByStore: false, places: 'path', network } as const;
    const { payload } = readValidSignIn(signIn, call, rule);
    const holder = { network, wallet: payload.address };
    trail.wallet = payload.address;
    trail.payment = { state: 'unused' };
    const requestHash = requestHashOf(call);
    const fresh = () => ({ [HEADERS.replayNonce]: freshNonce(signIn, origin) });
    const { headersOf, ...named } = responseTo(call, origin);
    const request = { route: call.route.id, requestHash, requestId: trail.requestId, ...named };
    const id = signedDebitId(holder, payload.nonce);
    const debit: NewDebit = { ...holder, ...request, id, micros: priceMicros, by: 'signature', owner: randomId() };
    const { accounts, answers, leaseMs, onStep } = this.#dependencies;
    const result = await fromStore(accounts.hold(debit, { leaseMs }));
    if (result.verdict === 'held') {
      onStep?.('hold');
      return new Debiting(this.#dependencies, debit, { headersOf, admissionHeaders: fresh, isHeld: true });
    }
    const { verdict, debit: earlier } = result;
    const again: HeadersOf = (charged) => ({ ...headersOf(charged), ...fresh() });
    const paid =
      earlier &&
      (await (verdict === 'owed' ? answers.owed(earlier, again) : answers.known(earlier, requestHash, again)));
    if (paid) return paid;
    const settled = verdict === 'due' ? await this.#payments.owedTo(holder, { call, origin, requestHash }) : undefined;
    if (settled) return settled;
    if (verdict === 'insufficient') {
      this.#payments.assertOpen();
      throw new Refusal('credit_exhausted', { payment: { state: 'unused' } });
    }
    return new Debiting(this.#dependencies, debit, { headersOf, admissionHeaders: fresh, isHeld: false });
  }
}
