import type { CreditUse } from './receipt.ts';

/** An answer with its metadata. */
export interface Full<T> {
  readonly result: T;
  /** The body as it arrived: the gateway's envelope around the upstream's JSON. */
  readonly text: string;
  /** Names the request in the operator's log. */
  readonly requestId: string | undefined;
  /** Dollars; undefined for free routes. */
  readonly price: string | undefined;
  /** base58 signature of the settled payment, if one was made. */
  readonly transaction: string | undefined;
  /** The charge to the wallet's credit and its balance, if the gateway sent them. */
  readonly credit: CreditUse | undefined;
  /** Status and headers. The body has been read. */
  readonly response: Response;
}

/** A pending call: a promise of the result, with `full()` for the whole answer. */
export class Call<T> extends Promise<T> {
  /** Promises derived from a call are plain. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #full: Promise<Full<T>>;

  constructor(full: Promise<Full<T>>) {
    super((resolve, reject) => void full.then(({ result }) => resolve(result), reject));
    this.#full = full;
  }

  /** The result with its text, price, transaction and response. Sends no second request. */
  full(): Promise<Full<T>> {
    // The returned promise reports the failure; this one must not report it again as unhandled.
    this.catch(() => undefined);
    return this.#full;
  }
}
