import { HEADERS } from '@asset-gateway/protocol';
import { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';
import type { Signer } from './signer.ts';

/** What a client is made of. */
export interface ClientOptions {
  /** The gateway's public origin. */
  readonly baseUrl: string;
  readonly signer: Signer;
  /** Another fetch, for tests and special transports. */
  readonly fetch?: typeof fetch;
}

/** A request beyond its path: a JSON body makes it a POST. */
export interface AskOptions {
  readonly body?: unknown;
}

/** A gateway as one wallet sees it: every request is signed, and mostly without asking for a challenge first. */
export class GatewayClient {
  readonly #base: URL;
  readonly #signer: Signer;
  readonly #fetch: typeof fetch;
  #last: SignInChallenge | undefined;
  #nextNonce: string | undefined;
  /** The gateway's own clock, as it was when it issued the nonce; ours may be wrong. */
  #servedAt: string | undefined;

  constructor(options: ClientOptions) {
    this.#base = new URL(options.baseUrl);
    this.#signer = options.signer;
    this.#fetch = options.fetch ?? fetch;
  }

  /** Asks for a path of the gateway and answers with its response, whatever its status. */
  async ask(path: string, { body }: AskOptions = {}): Promise<Response> {
    const url = new URL(path, this.#base);
    const first = await this.#send(url, body, await this.#anticipate(url));
    if (first.status !== 402) return first;
    const challenge = challengeIn(
      await first
        .clone()
        .json()
        .catch(() => null),
    );
    if (!challenge) return first;
    this.#last = challenge;
    return this.#send(url, body, await signIn(challenge, this.#signer, url));
  }

  /** A signature over the nonce that the last answer brought along; it saves the round trip for a challenge. */
  async #anticipate(url: URL): Promise<string | undefined> {
    const nonce = this.#nextNonce;
    this.#nextNonce = undefined;
    if (!nonce || !this.#last) return undefined;
    const { expirationTime: _, ...info } = this.#last.info;
    const issuedAt = new Date(this.#servedAt ?? Date.now()).toISOString();
    const fresh = { ...info, nonce, uri: url.origin + url.pathname, issuedAt };
    return signIn({ ...this.#last, info: fresh as SignInChallenge['info'] }, this.#signer, url);
  }

  async #send(url: URL, body: unknown, signature: string | undefined): Promise<Response> {
    const response = await this.#fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'error',
      headers: {
        ...(signature && { [HEADERS.signIn]: signature }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.#nextNonce = response.headers.get(HEADERS.replayNonce) ?? undefined;
    this.#servedAt = response.headers.get('date') ?? undefined;
    return response;
  }
}
