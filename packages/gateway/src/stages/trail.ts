import { CORS_HEADERS, type RefusalCode } from '@asset-gateway/protocol';
import type { Call, Challenge, Endpoint, Inbound, Outbound, RequestFacts, Sale } from '../call.ts';
import { Recent } from '../tallies.ts';
import { TIMES } from '../times.ts';

/** Whether If-None-Match names this tag (weak comparison, RFC 9110); `*` matches every tag. Our tags contain no comma, so no two tags contain one. */
const names = (condition: unknown, tag: string): boolean =>
  typeof condition === 'string' && (condition.trim() === '*' || condition.includes(tag));

/** Returns the answer, or a 304 without a body if the client has it already. */
function conditional({ headers }: Inbound, answer: Outbound): Outbound {
  const { ETag: tag } = answer.headers;
  const condition = headers['if-none-match'];
  if (condition === undefined || answer.status !== 200 || tag === undefined || !names(condition, tag)) return answer;
  const { 'Content-Type': _, 'Content-Encoding': __, ...kept } = answer.headers;
  return { ...answer, status: 304, headers: kept, body: '' };
}

/** Recognises repeated answers to one payment, so that no money is counted twice. */
export class AnsweredPayments {
  readonly #answered = new Recent<true>(TIMES.deliveredMs);

  /** Whether this is this node's first answer to the payment. */
  isFirst({ transaction, isRepeat }: Sale, nowMs: number): boolean {
    if (isRepeat || this.#answered.get(transaction, nowMs)) return false;
    this.#answered.set(transaction, true, nowMs);
    return true;
  }
}

/** What a request has earned, in millionths of a dollar. */
interface LoggedMoney {
  readonly paidMicros?: number;
  /** The mint of the payment's token. */
  readonly asset?: string;
  /** The signature of the settling transaction. */
  readonly transaction?: string;
  /** The credit that the payment granted. */
  readonly grantedMicros?: number;
  readonly creditMicros?: number;
  /** How the client asked for credit: `payment` if credit covered a payment. */
  readonly creditBy?: 'signature' | 'payment';
  /** Set if the payment or debit was answered before. */
  readonly replayed?: true;
  readonly balanceMicros?: number;
}

/** The log line of one request. It contains no secret, signature or nonce. */
export interface LogLine extends LoggedMoney {
  readonly requestId: string;
  /** The client's address. */
  readonly client: string;
  readonly method: string;
  /** The path without the query, shortened. */
  readonly path: string;
  readonly route?: string;
  readonly wallet?: string;
  readonly status: number;
  readonly error?: RefusalCode;
  /** The reason of the refusal, if it says more than the code. */
  readonly reason?: string;
  readonly ms: number;
  readonly upstreamMs?: number;
  readonly budgetLeft?: number;
  /** How the cache answered: `hit`, `stale` (a hit that is no longer fresh), `miss`, `refetch`, `collapsed`. */
  readonly cache?: string;
  /** The age of a cached answer, in whole seconds. */
  readonly ageSeconds?: number;
  /** The share that was used up, if the budget itself was not. */
  readonly share?: 'group' | 'wallet';
  /** The trace that contains the request, if it is recorded. */
  readonly traceId?: string;
}

/** Dependencies of the trail of a request. */
export interface TrailDependencies {
  readonly log: (line: LogLine) => void;
  readonly randomId: () => string;
  readonly answered: AnsweredPayments;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const MAX_LOGGED_PATH = 200;
const WITHOUT_LENGTH = [204, 304];

/** Returns a Cache-Status as one word. */
function cacheKindOf(status: string | undefined): string | undefined {
  if (status === undefined) return undefined;
  if (status.includes('; hit')) return status.includes('ttl=-') ? 'stale' : 'hit';
  if (status.endsWith('; collapsed')) return 'collapsed';
  return status.includes('fwd=stale') ? 'refetch' : 'miss';
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

/** Returns what the log line says about money. `isFirst`: whether this is the first answer to its payment. */
function moneyOf({ sale, debit, grantedMicros }: Outbound, isFirst: boolean): LoggedMoney {
  const paid = isFirst ? sale : undefined;
  const charged = debit?.isRepeat ? undefined : debit;
  return {
    ...(paid && { paidMicros: paid.micros, asset: paid.asset }),
    ...(sale && { transaction: sale.transaction }),
    ...(paid && grantedMicros !== undefined && { grantedMicros }),
    ...(charged && { creditMicros: charged.micros, creditBy: charged.by }),
    ...(!paid && !charged && { replayed: true }),
    ...(debit && { balanceMicros: debit.balanceMicros }),
  };
}

function lineOf(
  { facts, call }: Pick<RequestTrail, 'facts' | 'call'>,
  { method, target }: Inbound,
  answer: Outbound,
  ms: number,
): LogLine {
  const { requestId, client, wallet, refused, upstreamMs, budgetLeft } = facts;
  const { code, reason, scope } = refused ?? {};
  const cacheStatus = cacheKindOf(answer.headers['Cache-Status']);
  return {
    requestId,
    client,
    method,
    path: target.split('?', 1)[0]?.slice(0, MAX_LOGGED_PATH) ?? '',
    ...(call && { route: call.route.id }),
    ...(wallet !== undefined && { wallet }),
    status: answer.status,
    ...(code && { error: code }),
    ...(reason !== undefined && reason !== code && { reason }),
    ms: rounded(ms),
    ...(upstreamMs !== undefined && { upstreamMs: rounded(upstreamMs) }),
    ...(budgetLeft !== undefined && { budgetLeft }),
    ...(cacheStatus !== undefined && { cache: cacheStatus, ageSeconds: Number(answer.headers.Age) }),
    ...(scope && { share: scope }),
  };
}

/** Follows one request from its arrival to its log line. */
export class RequestTrail {
  readonly facts: RequestFacts;
  /** The matched call. */
  call?: Call & { readonly endpoint: Pick<Endpoint, 'gate'> };
  readonly #inbound: Inbound;
  readonly #dependencies: TrailDependencies;
  readonly #startedAt = performance.now();

  constructor(inbound: Inbound, dependencies: TrailDependencies) {
    this.#inbound = inbound;
    this.#dependencies = dependencies;
    const given = inbound.headers['x-request-id'];
    const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : dependencies.randomId();
    this.facts = { requestId, client: inbound.client };
  }

  /** Returns the gate's challenge for a 402; undefined if no row matched. */
  challenge(code: RefusalCode): Challenge | undefined {
    return this.call?.endpoint.gate.challenge(this.call, code);
  }

  /** Adds the headers of every response, drops the body for HEAD, and writes the log line. */
  finish(complete: Outbound): Outbound {
    const answer = conditional(this.#inbound, complete);
    const isGated = this.call !== undefined && this.call.route.access !== 'public';
    const headers: Record<string, string> = {
      'X-Request-Id': this.facts.requestId,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': isGated && answer.status !== 402 ? 'private, no-store' : 'no-store',
      ...CORS_HEADERS,
      ...answer.headers,
    };
    if (!WITHOUT_LENGTH.includes(answer.status)) headers['Content-Length'] = String(Buffer.byteLength(answer.body));
    if (answer.status !== 402) Object.assign(headers, this.facts.headers?.());
    const { log, answered } = this.#dependencies;
    const nowMs = performance.now();
    const isFirst = answer.sale !== undefined && answered.isFirst(answer.sale, nowMs);
    const money = (answer.sale || answer.debit) && moneyOf(answer, isFirst);
    log({ ...lineOf(this, this.#inbound, answer, nowMs - this.#startedAt), ...money });
    if (this.#inbound.method === 'HEAD') return { status: answer.status, headers, body: '' };
    return { ...answer, headers };
  }
}
