import { HEADERS, type PaymentRequired } from '@asset-gateway/protocol';
import { bundleOf, isCreditExhausted, type Offer, offerIn } from './offer.ts';
import { type Purse, paymentFor } from './pay.ts';
import { challengeIn, type SignInChallenge, signIn } from './sign-in.ts';
import type { Signer } from './signer.ts';

/** What a client is made of. */
export interface ClientOptions {
  /** The gateway's public origin. */
  readonly baseUrl: string;
  readonly signer: Signer;
  /** Approves an offer, or throws; no more than the offer is then paid. Without it paid routes answer 402. */
  readonly pay?: (offer: Offer) => Promise<Purse>;
  /**
   * Pays from the wallet's credit, by signature, where the gateway sells it; `pay` then approves a bundle whenever the credit
   * does not cover a call.
   */
  readonly credit?: boolean;
  /** Another fetch, for tests and special transports. */
  readonly fetch?: typeof fetch;
}

/** A request beyond its path: a JSON body makes it a POST. */
export interface AskOptions {
  readonly body?: unknown;
}

const MAX_ATTEMPTS = 20;

const signInHeader = (signature: string | undefined): Record<string, string> =>
  signature === undefined ? {} : { [HEADERS.signIn]: signature };

/** What a 402 asks for. */
const askedIn = async (response: Response): Promise<unknown> =>
  response.status === 402
    ? response
        .clone()
        .json()
        .catch(() => null)
    : null;

/** Whether a 402 can be answered by a signature and by nothing else. */
const isSignInAlone = (asked: unknown): boolean => {
  const { accepts } = asked as Partial<PaymentRequired>;
  return !Array.isArray(accepts) || accepts.length === 0;
};

/** A gateway as one wallet sees it: every request is signed, and mostly without asking for a challenge first. */
export class GatewayClient {
  readonly #base: URL;
  readonly #signer: Signer;
  readonly #pay: ClientOptions['pay'];
  readonly #isSpending: boolean;
  readonly #fetch: typeof fetch;
  #last: SignInChallenge | undefined;
  #nextNonce: string | undefined;
  /** The gateway's own clock, as it was when it issued the nonce; ours may be wrong. */
  #servedAt: string | undefined;

  constructor(options: ClientOptions) {
    this.#base = new URL(options.baseUrl);
    this.#signer = options.signer;
    this.#pay = options.pay;
    this.#isSpending = options.credit === true;
    this.#fetch = options.fetch ?? fetch;
  }

  /** Asks for a path of the gateway and answers with its response, whatever its status. */
  async ask(path: string, { body }: AskOptions = {}): Promise<Response> {
    const url = new URL(path, this.#base);
    const anticipated = signInHeader(await this.#anticipate(url));
    const first = await this.#send(url, body, { ...anticipated, ...(this.#isSpending && { Prefer: 'credit' }) });
    const asked = await askedIn(first);
    const challenge = challengeIn(asked);
    // On a paid route a signature spends.
    const isToSign = challenge && (this.#isSpending ? !isCreditExhausted(asked) : isSignInAlone(asked));
    if (!isToSign) return this.#payFor(first, url, body, asked);
    this.#last = challenge;
    const signed = await this.#send(url, body, signInHeader(await signIn(challenge, this.#signer, url)));
    const askedNow = await askedIn(signed);
    return isCreditExhausted(askedNow) ? this.#payFor(signed, url, body, askedNow) : signed;
  }

  /** Pays for what a 402 asks, where that has been approved; any other answer is returned as it is. */
  async #payFor(response: Response, url: URL, body: unknown, asked: unknown): Promise<Response> {
    if (!this.#pay || asked === null) return response;
    const chosen = isCreditExhausted(asked) && this.#isSpending ? bundleOf(asked as PaymentRequired) : asked;
    const offer = offerIn(chosen);
    return offer ? this.#buy(url, body, chosen as PaymentRequired, await this.#pay(offer)) : response;
  }

  /** Sends one payment until its outcome is known: a payment is sent again, never made anew. */
  async #buy(url: URL, body: unknown, required: PaymentRequired, purse: Purse): Promise<Response> {
    const headers = await paymentFor(required, purse);
    for (let attempt = 1; ; attempt++) {
      const response = await this.#send(url, body, headers);
      const isOpen = response.status === 503 || response.status === 409;
      if (!isOpen || attempt === MAX_ATTEMPTS) return response;
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after') ?? 1) * 1000));
    }
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

  async #send(url: URL, body: unknown, headers: Record<string, string>): Promise<Response> {
    const response = await this.#fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'error',
      headers: {
        ...headers,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.#nextNonce = response.headers.get(HEADERS.replayNonce) ?? undefined;
    this.#servedAt = response.headers.get('date') ?? undefined;
    return response;
  }
}
