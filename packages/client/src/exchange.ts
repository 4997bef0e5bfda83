import { type Cluster, HEADERS, NETWORKS, type PaymentRequired } from '@asset-gateway/protocol/wire';
import { type Connection, nonceIn, retryAfterMs } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { GatewayError } from './error.ts';
import type { NoncePool } from './nonce-pool.ts';
import type { SentRequest } from './sent-request.ts';
import type { CallSettings, PaymentWish } from './settings.ts';
import { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';

/** A request and the gate of its route. */
export interface Outgoing {
  /** The key of the call's remembered price; undefined for `ask`. */
  readonly name?: string;
  readonly request: SentRequest;
  /** The gate: `public`, `siwx` or `exact`. */
  readonly access: string;
  /** The cluster that serves the call, and on which the client pays. */
  readonly cluster: string | undefined;
  /** The amount to buy from a route that sells credit. */
  readonly buys?: PaymentWish['buys'] | undefined;
}

type Headers = Readonly<Record<string, string>>;

/** The body of a 402, unchecked. */
export type Body402 = Partial<PaymentRequired> | null;

/** The most sign-ins of one call. A restart of the gateway may invalidate a fresh challenge once, but hardly twice. */
const MAX_SIGN_INS = 3;

/** Returns the JSON object in a body; null without one. */
export const readObject = async (response: Response): Promise<Body402> =>
  response
    .clone()
    .json()
    .then((body: unknown) => (typeof body === 'object' ? body : null))
    .catch(() => null);

/** One call until its answer. Signs in where needed, and retries when the gateway asks. */
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

  /** Returns the answer of a free route, with any status. */
  async signedIn(pool: NoncePool): Promise<Response> {
    const { pacing } = this.connection;
    const nonce = await pool.take(this.deadline.signal);
    try {
      const waitMs = pacing.waitMs();
      if (waitMs > 0 && waitMs < this.deadline.remainingMs) await this.deadline.wait(waitMs);
      let response = await this.sendWith(pool, nonce, {});
      while (response.status === 402 && this.maySign) {
        const body = await readObject(response);
        // On a route with a price, a signature could spend credit.
        const challenge = body?.accepts?.length ? undefined : challengeIn(body);
        if (!challenge) break;
        // A gateway refuses a nonce after a restart, so all earlier nonces are invalid.
        if (nonce !== undefined) pool.forget();
        response = await this.answer(pool, challenge);
      }
      pacing.learn(response);
      return response;
    } finally {
      pool.end();
    }
  }

  /** Signs a fresh challenge. */
  async answer(pool: NoncePool, challenge: SignInChallenge): Promise<Response> {
    const headers = await this.#signed(challenge);
    pool.useChallenge(challenge);
    return this.send(headers, pool);
  }

  /** Sends with a signature over this nonce and statement. Without a nonce, sends the other headers. */
  async sendWith(
    pool: NoncePool,
    nonce: string | undefined,
    otherwise: Headers,
    statement?: string,
  ): Promise<Response> {
    const url = new URL(this.outgoing.request.url);
    const challenge = nonce === undefined ? undefined : pool.challengeWith(nonce, url, statement);
    return challenge ? this.send(await this.#signed(challenge), pool) : this.send(otherwise);
  }

  /** Sends. Retries while the gateway asks for it and time is left. */
  async send(headers: Headers, pool?: NoncePool): Promise<Response> {
    for (let retries = this.settings.retries ?? 3; ; retries--) {
      const response = await this.connection.send(this.outgoing.request, headers, this.deadline);
      const nonce = nonceIn(response);
      if (nonce) pool?.add(nonce);
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

  /** Returns the network whose credit a signature may spend; undefined if it spends none. */
  get network(): string | undefined {
    const { access, cluster } = this.outgoing;
    return access === 'exact' ? NETWORKS[cluster as Cluster] : undefined;
  }
}
