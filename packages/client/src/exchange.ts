import { type Cluster, HEADERS, NETWORKS, type PaymentRequired } from '@asset-gateway/protocol';
import { type Connection, nonceIn } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { GatewayError } from './error.ts';
import type { NoncePool } from './nonce-pool.ts';
import type { PaymentWish } from './payer.ts';
import { retryAfterMs } from './retry-after.ts';
import type { SentRequest } from './sent-request.ts';
import type { CallSettings } from './settings.ts';
import { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';

/** A request that is to be sent, and what it meets. */
export interface Outgoing {
  /** What its price is remembered under; nothing where it is no method's. */
  readonly name?: string;
  readonly request: SentRequest;
  /** The gate that it stands before: `public`, `siwx` or `exact`. */
  readonly access: string;
  /** The cluster that is asked and paid on. */
  readonly cluster: string | undefined;
  /** What is bought where nothing but credit is sold. */
  readonly buys?: PaymentWish['buys'];
}

type Headers = Readonly<Record<string, string>>;

/** The body of a 402, as far as it is one. */
export type Asked = Partial<PaymentRequired> | null;

/** A fresh challenge may be outrun once by a restart, hardly twice. */
const MAX_SIGN_INS = 3;

/** What a 402 asks for. */
export const askedIn = async (response: Response): Promise<Asked> =>
  response
    .clone()
    .json()
    .then((body: unknown) => (typeof body === 'object' ? body : null))
    .catch(() => null);

/** One call until its answer, as far as a signature leads to it: signs in, and sends again what may be sent again. */
export class Exchange {
  readonly connection: Connection;
  readonly outgoing: Outgoing;
  readonly settings: CallSettings;
  readonly deadline: Deadline;
  #signIns = 0;

  constructor(connection: Connection, outgoing: Outgoing, settings: CallSettings, deadline: Deadline) {
    this.connection = connection;
    this.outgoing = outgoing;
    this.settings = settings;
    this.deadline = deadline;
  }

  get maySign(): boolean {
    return this.#signIns < MAX_SIGN_INS;
  }

  /** A free answer, whatever its status. */
  async signedIn(pool: NoncePool): Promise<Response> {
    const { pacing } = this.connection;
    const nonce = await pool.take(this.deadline.signal);
    try {
      const waitMs = pacing.waitMs();
      if (waitMs > 0 && waitMs < this.deadline.remainingMs) await this.deadline.wait(waitMs);
      let response = await this.sendWith(pool, nonce, {});
      while (response.status === 402 && this.maySign) {
        const challenge = challengeIn(await askedIn(response));
        if (!challenge) break;
        // What was handed out before is dead where this was: the gateway has begun anew.
        if (nonce !== undefined) pool.forget();
        response = await this.answer(pool, challenge);
      }
      pacing.learn(response);
      return response;
    } finally {
      pool.done();
    }
  }

  /** Signs a fresh challenge. */
  async answer(pool: NoncePool, challenge: SignInChallenge): Promise<Response> {
    const headers = await this.#signed(challenge);
    pool.learn(challenge);
    return this.send(headers, pool);
  }

  /** Sends with a signature over this nonce, where there is one. */
  async sendWith(pool: NoncePool, nonce: string | undefined, otherwise: Headers): Promise<Response> {
    const challenge = nonce === undefined ? undefined : pool.challengeWith(nonce, new URL(this.outgoing.request.url));
    return challenge ? this.send(await this.#signed(challenge), pool) : this.send(otherwise);
  }

  /** Sends until the gateway does not ask any more to send the same again, or there is no time left for that. */
  async send(headers: Headers, pool?: NoncePool): Promise<Response> {
    for (let retries = this.settings.retries ?? 3; ; retries--) {
      const response = await this.connection.send(this.outgoing.request, headers, this.deadline);
      const nonce = nonceIn(response);
      if (nonce) pool?.give(nonce);
      const waitMs = retryAfterMs(response);
      if (waitMs === undefined || retries <= 0 || waitMs >= this.deadline.remainingMs) return response;
      await response.body?.cancel();
      await this.deadline.wait(waitMs);
    }
  }

  async #signed(challenge: SignInChallenge): Promise<Headers> {
    this.#signIns++;
    const { deadline, outgoing, connection } = this;
    const failed = (cause: unknown): never => {
      throw new GatewayError('not_signed', { message: 'there is no wallet to sign with', cause });
    };
    const signer = await deadline.race(connection.signer.catch(failed));
    const signed = signIn(challenge, signer, new URL(outgoing.request.url), this.network);
    return { [HEADERS.signIn]: await deadline.race(signed) };
  }

  /** The network that a signature may spend on; any where it spends nothing. */
  get network(): string | undefined {
    const { access, cluster } = this.outgoing;
    return access === 'exact' ? NETWORKS[cluster as Cluster] : undefined;
  }
}
