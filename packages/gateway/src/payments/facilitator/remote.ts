import { attempt, below, listAt, member, Refusal } from '@asset-gateway/protocol';
import type { Background, Repeated } from '../../background.ts';
import type { Crypto } from '../../crypto.ts';
import { Pool } from '../../pool.ts';
import { UNUSED_PAYMENT } from '../../receipts/paid-answers.ts';
import { Recent } from '../../tallies.ts';
import { TIMES } from '../../times.ts';
import { unavailable } from '../refusals.ts';
import {
  type Facilitator,
  isFeePayerSignature,
  type Payment,
  type Settlement,
  SIMULATION_FAILED,
  type Verification,
} from './facilitator.ts';

/** The address and credentials of a remote facilitator. */
interface RemoteOptions {
  readonly url: string;
  /** The value of the Authorization header. */
  readonly authorization: string | undefined;
  readonly crypto: Crypto;
  readonly background: Background;
}

const MAX_BYTES = 64 * 1024;

/** Returns the body of x402's facilitator request, version 2. */
function requestBody({ transaction, requirement }: Payment) {
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, payload: { transaction }, accepted: requirement },
    paymentRequirements: requirement,
  };
}

/** Whether a facilitator gives this reason only if it has sent nothing. Other reasons prove nothing. */
function isBeforeBroadcast(reason: unknown): boolean {
  if (typeof reason !== 'string') return false;
  return (
    reason.startsWith('invalid_exact_svm_payload_') ||
    /^invalid_exact_svm_\w+_mismatch$/.test(reason) ||
    reason === SIMULATION_FAILED
  );
}

/** A facilitator behind x402's HTTP interface: `GET /supported`, `POST /verify`, `POST /settle`. */
export class RemoteFacilitator implements Facilitator {
  readonly #options: RemoteOptions;
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #feePayers = new Map<string, string>();
  /** The payments that this process has sent to `/settle`. */
  readonly #settled = new Recent<true>(TIMES.askedMs);
  readonly #refreshing: Repeated;
  #refreshedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: RemoteOptions) {
    const { origin, pathname } = new URL(options.url);
    this.#options = options;
    this.#pool = new Pool(origin, { connections: 32, headersTimeout: 0, bodyTimeout: 0 });
    this.#prefix = pathname.replace(/\/$/, '');
    this.#refreshing = options.background.every('facilitator', TIMES.firstFeePayersEachMs, () => this.#learn());
  }

  feePayer(network: string): string | undefined {
    return this.#feePayers.get(network);
  }

  /** Reads the fee payer of each network. If the facilitator does not answer, the last known ones stay. */
  refresh(): Promise<void> {
    return this.#refreshing.run();
  }

  async #learn(): Promise<void> {
    const now = performance.now();
    if (this.#feePayers.size > 0 && now - this.#refreshedAtMs < TIMES.feePayersEachMs) return;
    this.#refreshedAtMs = now;
    const answer = await this.#call('GET', '/supported', undefined, TIMES.chainMs);
    for (const kind of listAt(answer.body, 'kinds')) {
      const network = member(kind, 'network');
      const feePayer = below(kind, 'extra', 'feePayer');
      const isOurs = member(kind, 'scheme') === 'exact' && member(kind, 'x402Version') === 2;
      if (isOurs && typeof network === 'string' && typeof feePayer === 'string') this.#feePayers.set(network, feePayer);
    }
  }

  async verify(payment: Payment): Promise<Verification> {
    const answer = await this.#call('POST', '/verify', payment, TIMES.chainMs).catch((error: Error) => {
      throw unavailable(`verify: ${error.message}`);
    });
    const isValid = member(answer.body, 'isValid');
    if (isValid === true && answer.status === 200) return { valid: true };
    const reason = member(answer.body, 'invalidReason');
    if (isValid === false) {
      const processed = !isBeforeBroadcast(reason) || reason === SIMULATION_FAILED ? 'maybe' : 'no';
      return { valid: false, reason: typeof reason === 'string' ? reason : '', processed };
    }
    if (answer.status >= 500 || answer.status === 429) throw unavailable(`verify: status ${answer.status}`);
    throw new Refusal('facilitator_invalid_response', {
      reason: `verify: status ${answer.status}`,
      payment: UNUSED_PAYMENT,
    });
  }

  async settle(payment: Payment): Promise<Settlement> {
    const isFirst = this.#isFirstSettle(payment.key);
    const { crypto, background } = this.#options;
    const answer = await background.run('facilitator', () => this.#call('POST', '/settle', payment, TIMES.settleMs));
    const reported = member(answer?.body, 'transaction');
    const signature = isFeePayerSignature(crypto, reported, payment) ? reported : undefined;
    const success = member(answer?.body, 'success');
    if (success === true && signature !== undefined && answer?.status === 200) return { outcome: 'settled', signature };
    const reason = member(answer?.body, 'errorReason');
    const isClear = answer !== undefined && answer.status < 500 && success === false && reported === '';
    if (isFirst && isClear && isBeforeBroadcast(reason)) {
      return { outcome: 'refused', reason: String(reason) };
    }
    return { outcome: 'unknown', signature };
  }

  /**
   * Whether this is the first `/settle` for a payment. Only its answer can prove that nothing was sent. Entries are dropped after an hour,
   * when the payment is too old to be sent again.
   */
  #isFirstSettle(key: string): boolean {
    const now = performance.now();
    if (this.#settled.get(key, now)) return false;
    this.#settled.set(key, true, now);
    return true;
  }

  async close(): Promise<void> {
    const ended = this.#refreshing.close();
    await this.#pool.destroy();
    await ended;
  }

  async #call(method: 'GET' | 'POST', path: string, payment: Payment | undefined, deadlineMs: number) {
    const { authorization } = this.#options;
    const headers = {
      accept: 'application/json',
      authorization,
      ...(payment && { 'content-type': 'application/json', 'idempotency-key': payment.key }),
    };
    const body = payment ? JSON.stringify(requestBody(payment)) : null;
    const { status, text } = await this.#pool.request(
      { method, path: this.#prefix + path, headers, body },
      { deadlineMs, maxBytes: MAX_BYTES },
    );
    return { status, body: attempt((): unknown => JSON.parse(text), undefined) };
  }
}
