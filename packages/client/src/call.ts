import type { CreditUse } from './credit.ts';

/** An answer with all that came with it. */
export interface Full<T> {
  readonly result: T;
  /** The body as it arrived, byte for byte: what the gateway answered around the upstream's own JSON. */
  readonly text: string;
  /** For the operator, when something is wrong. */
  readonly requestId: string | undefined;
  /** Dollars, as the gateway says; nothing for what is free. */
  readonly price: string | undefined;
  /** base58 signature of the payment that has settled; nothing where none was made. */
  readonly transaction: string | undefined;
  /** What the wallet's credit was charged, and what is left. */
  readonly credit: CreditUse | undefined;
  /** Status and headers; its body has been read. */
  readonly response: Response;
}

/** A call on its way: a promise of the result, and all of the answer for who asks `full()`. */
export class Call<T> extends Promise<T> {
  /** What is derived from it is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #full: Promise<Full<T>>;

  constructor(full: Promise<Full<T>>) {
    super((resolve, reject) => void full.then(({ result }) => resolve(result), reject));
    this.#full = full;
  }

  /** The result together with its text, price, transaction and response. Asks no second time. */
  full(): Promise<Full<T>> {
    // Whoever takes this one hears of a failure from it.
    this.catch(() => undefined);
    return this.#full;
  }
}
