import { HEADERS, type PaymentRequired } from '@asset-gateway/protocol';
import { type Connection, nonceIn } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { GatewayError } from './error.ts';
import type { NoncePool } from './nonce-pool.ts';
import type { PaymentWish, SentRequest } from './payer.ts';
import { resend, retryAfterMs } from './resending.ts';
import type { CallSettings } from './settings.ts';
import { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';

/** One request as it is meant. */
export interface Meant {
  /** What its price is remembered under. */
  readonly name: string;
  readonly request: SentRequest;
  /** The gate that it stands before: `public`, `siwx` or `exact`. */
  readonly access: string;
  readonly cluster: string | undefined;
  /** What is bought where nothing but credit is sold. */
  readonly buys?: PaymentWish['buys'];
}

type Headers = Readonly<Record<string, string>>;

/** A fresh challenge may be outrun once by a restart, hardly twice. */
const MAX_SIGN_INS = 3;

type Asked = Partial<PaymentRequired> | null;

/** What a 402 asks for. */
const askedIn = async (response: Response): Promise<Asked> =>
  response
    .clone()
    .json()
    .catch(() => null);

const offersIn = (asked: Asked): readonly unknown[] => (Array.isArray(asked?.accepts) ? asked.accepts : []);

const tooDear = (micros: number, maxUsd = 0): GatewayError =>
  new GatewayError('spending_limit', { message: `the call costs $${micros / 1e6}, above the cap of $${maxUsd}` });

/** One call until its answer: signs in, spends credit or pays, and sends again what may be sent again. */
export class Exchange {
  readonly #connection: Connection;
  readonly #meant: Meant;
  readonly #settings: CallSettings;
  readonly #deadline: Deadline;
  #signIns = 0;

  constructor(connection: Connection, meant: Meant, settings: CallSettings, deadline: Deadline) {
    this.#connection = connection;
    this.#meant = meant;
    this.#settings = settings;
    this.#deadline = deadline;
  }

  /** The answer, whatever its status. */
  async run(): Promise<Response> {
    const { access } = this.#meant;
    if (access === 'public') return this.#send({});
    if (access === 'siwx') return this.#signedIn(this.#connection.pool('free'));
    return this.#spendsCredit ? this.#spent(this.#connection.pool(this.#meant.cluster ?? '')) : this.#paid();
  }

  get #spendsCredit(): boolean {
    return this.#settings.credit !== false && this.#meant.buys === undefined && this.#connection.sellsCredit !== false;
  }

  /** A free answer. */
  async #signedIn(pool: NoncePool): Promise<Response> {
    const { pacing } = this.#connection;
    const nonce = await pool.take(this.#deadline.signal);
    try {
      const waitMs = pacing.waitMs();
      if (waitMs > 0 && waitMs < this.#deadline.remainingMs) await this.#deadline.wait(waitMs);
      let response = await this.#sendWith(pool, nonce, {});
      while (response.status === 402 && this.#signIns < MAX_SIGN_INS) {
        const challenge = challengeIn(await askedIn(response));
        if (!challenge) break;
        // What was handed out before is dead where this was: the gateway has begun anew.
        if (nonce !== undefined) pool.forget();
        response = await this.#answer(pool, challenge);
      }
      pacing.learn(response);
      return response;
    } finally {
      pool.done();
    }
  }

  /** An answer that credit pays for, or else a payment. */
  async #spent(pool: NoncePool): Promise<Response> {
    // Where there may be no credit nobody waits for the nonce of another.
    const isPooled = pool.isKnown && this.#isWithinCap(this.#connection.prices.get(this.#meant.name) ?? Infinity);
    const nonce = isPooled ? await pool.take(this.#deadline.signal) : undefined;
    try {
      let response = await this.#sendWith(pool, nonce, this.#preference);
      while (response.status === 402) {
        const asked = await askedIn(response);
        const next = await this.#spendOn(asked, pool, nonce);
        if (!next) return await this.#settle(response, asked);
        response = next;
      }
      return response;
    } finally {
      if (isPooled) pool.done();
    }
  }

  /** What a 402 leads to as far as credit goes; nothing where a payment is what is left. */
  async #spendOn(asked: Asked, pool: NoncePool, nonce: string | undefined): Promise<Response | undefined> {
    const connection = this.#connection;
    const challenge = challengeIn(asked);
    const hasAsked = connection.mayPrefer;
    connection.sellsCredit = challenge !== undefined || offersIn(asked).length > 1;
    if (asked?.error === 'credit_exhausted') {
      // It was not used up.
      if (nonce !== undefined) pool.give(nonce);
      return undefined;
    }
    const price = Number((offersIn(asked)[0] as { amount?: unknown } | undefined)?.amount);
    connection.prices.set(this.#meant.name, price);
    if (!this.#isWithinCap(price)) throw tooDear(price, this.#settings.maxUsd);
    if (challenge && this.#signIns < MAX_SIGN_INS) return this.#answer(pool, challenge);
    // A page of another origin may ask for a challenge only now.
    return connection.sellsCredit && !hasAsked ? this.#send(this.#preference) : undefined;
  }

  get #preference(): Headers {
    return this.#connection.mayPrefer ? { Prefer: 'credit' } : {};
  }

  #isWithinCap(micros: number): boolean {
    const { maxUsd } = this.#settings;
    return maxUsd === undefined || micros <= maxUsd * 1e6;
  }

  /** An answer that is paid for. */
  async #paid(): Promise<Response> {
    const response = await this.#send({});
    return response.status === 402 ? this.#settle(response, await askedIn(response)) : response;
  }

  /** Pays for what a 402 asks, where there is somebody who pays; otherwise the 402 is the answer. */
  async #settle(response: Response, asked: Asked): Promise<Response> {
    const { pay } = this.#connection.options;
    if (!pay || offersIn(asked).length === 0) return response;
    const { request, buys = this.#settings.credit ? 'bundle' : 'call' } = this.#meant;
    const { signal } = this.#deadline;
    const payment = await pay.pay(asked as PaymentRequired, { request, buys, maxUsd: this.#settings.maxUsd, signal });
    return resend(this.#connection, request, payment, this.#deadline);
  }

  /** Signs a fresh challenge. */
  async #answer(pool: NoncePool, challenge: SignInChallenge): Promise<Response> {
    pool.learn(challenge);
    return this.#send(await this.#signed(challenge), pool);
  }

  /** Sends with a signature over this nonce, where there is one. */
  async #sendWith(pool: NoncePool, nonce: string | undefined, otherwise: Headers): Promise<Response> {
    const challenge = nonce === undefined ? undefined : pool.challengeWith(nonce, new URL(this.#meant.request.url));
    if (!challenge) return this.#send(otherwise);
    return this.#send(await this.#signed(challenge), pool);
  }

  async #signed(challenge: SignInChallenge): Promise<Headers> {
    this.#signIns++;
    const signer = await this.#connection.signer;
    const url = new URL(this.#meant.request.url);
    return { [HEADERS.signIn]: await this.#deadline.race(signIn(challenge, signer, url)) };
  }

  /** Sends until the gateway does not ask any more to send the same again, or there is no time left for that. */
  async #send(headers: Headers, pool?: NoncePool): Promise<Response> {
    for (let retries = this.#settings.retries ?? 3; ; retries--) {
      const response = await this.#connection.send(this.#meant.request, headers, this.#deadline);
      const nonce = nonceIn(response);
      if (nonce) pool?.give(nonce);
      const waitMs = retryAfterMs(response);
      if (waitMs === undefined || retries <= 0 || waitMs >= this.#deadline.remainingMs) return response;
      await response.body?.cancel();
      await this.#deadline.wait(waitMs);
    }
  }
}
