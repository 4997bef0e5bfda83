import { dollars, HEADERS, Refusal, type RefusalCode, SIWX_EXTENSION, siwxExtension } from '@asset-gateway/protocol';
import type { Call, Challenge, Trail } from '../call.ts';
import { challengedUrl, type OriginOf } from '../gates/challenge.ts';
import { type Admission, type Delivery, fromStore, type Gate } from '../gates/gate.ts';
import { carriesSignIn, readValidSignIn, type SignInParts } from '../gates/siwx/sign-in.ts';
import type { SignedRequest } from '../payments/cover.ts';
import { type AccountHolder, type Debit, type NewDebit, signedDebitId } from './account.ts';
import type { HoldVerdict } from './accounts.ts';
import { type ChargedAnswers, Debiting, type DebitParts, type HeadersOf } from './debiting.ts';

/** What signatures that spend are asked for and judged with, of one route. */
interface SpendingParts {
  readonly signIn: SignInParts;
  readonly originOf: OriginOf;
  /** CAIP-2: credit of another network is none here. */
  readonly network: string;
  readonly priceMicros: number;
}

/** Debits are remembered on disk, so that their nonces outlive the process, unlike those of free routes. */
export const EPOCH = 'credit';
const LIFETIME_MS = 300_000;

/** A nonce that spends once. */
export const freshNonce = ({ nonces, now }: SignInParts, origin: string): string => nonces.issue(origin, EPOCH, now());

/** Whether the caller would rather spend credit: the preference of RFC 7240. */
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

/** What a challenge carries for those who spend by signature: only for who asks, as clients that see it never pay. */
export function spendingExtensions(parts: SpendingParts, call: Call): Readonly<Record<string, unknown>> {
  if (!prefersCredit(call) && !carriesSignIn(call)) return {};
  const { network, originOf, signIn, priceMicros } = parts;
  const origin = originOf(call.inbound);
  const nowMs = signIn.wallNow();
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
interface PaymentGate extends Gate {
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
