import { attempt, HEADERS, isObject, type Members, member } from '@asset-gateway/protocol/wire';
import { isSignature } from './error.ts';

/** An answer with its metadata. */
export interface Full<T> {
  /** The result that the call itself returns. */
  readonly result: T;
  /** The body as it arrived: the gateway's envelope around the upstream's JSON. */
  readonly text: string;
  /** Identifies the request in the operator's log. */
  readonly requestId: string | undefined;
  /** The price in dollars; undefined for free routes. */
  readonly price: string | undefined;
  /** The base58 signature of the payment's transaction, if a payment settled. */
  readonly transaction: string | undefined;
  /** The charge to the wallet's credit and its balance, if the gateway sent them. */
  readonly credit: CreditUse | undefined;
  /** Status and headers. The body has been read. */
  readonly response: Response;
}

/**
 * A pending call: a promise of the result, with `full()` for the whole answer. It rejects with a `GatewayError`.
 * @example
 * const { results } = await client.tokens.search({ q: 'gold' });
 * const { result, price, requestId } = await client.rpc.getBalance(account).full();
 */
export class Call<T> extends Promise<T> {
  /**
   * Promises derived from a call are plain promises.
   * @internal
   */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #full: Promise<Full<T>>;

  /** @internal */
  constructor(full: Promise<Full<T>>) {
    super((resolve, reject) => void full.then(({ result }) => resolve(result), reject));
    this.#full = full;
  }

  /** Returns the result with its text, price, transaction and response. Sends no second request. */
  full(): Promise<Full<T>> {
    // The returned promise reports the failure; this one must not report it again as unhandled.
    this.catch(() => undefined);
    return this.#full;
  }
}

/** The credit fields of an answer. Amounts are in millionths of a dollar. */
export interface CreditUse {
  /** The price of this answer; undefined if it was paid on chain. */
  readonly chargedMicros?: number;
  /** What remains in the wallet's credit. */
  readonly balanceMicros: number;
}

/** A member of an RFC 8941 dictionary with an integer. Gateways send no other kind here. */
const MEMBER = /^(charged|balance)=(\d{1,15})$/;

/**
 * Reads the charge and the balance from the headers of an answer.
 * @param response an answer of `client.ask`
 * @returns amounts in millionths of a dollar; undefined if the answer has no header `Credit`
 */
export function creditIn(response: Response): CreditUse | undefined {
  const members = (response.headers.get(HEADERS.credit) ?? '').split(',').map((member) => MEMBER.exec(member.trim()));
  const amounts = new Map(members.flatMap((found) => (found ? [[found[1], Number(found[2])] as const] : [])));
  const [chargedMicros, balanceMicros] = [amounts.get('charged'), amounts.get('balance')];
  if (balanceMicros === undefined) return undefined;
  return { ...(chargedMicros !== undefined && { chargedMicros }), balanceMicros };
}

/**
 * Reads x402's SettleResponse from the header `PAYMENT-RESPONSE` of an answer. Its members are unchecked.
 * @param response an answer of `client.ask` or `fetch`
 * @returns undefined if the header is missing or malformed
 */
export function settlementIn(response: Response): Members | undefined {
  const header = response.headers.get(HEADERS.paymentResponse) ?? '';
  const settlement = attempt((): unknown => JSON.parse(atob(header)), undefined);
  return isObject(settlement) ? settlement : undefined;
}

/**
 * Reads the transaction of a settled payment from the headers of an answer.
 * @param response an answer of `client.ask` or `fetch`
 * @returns its base58 signature; undefined if the headers name none
 */
export function transactionIn(response: Response): string | undefined {
  const transaction = member(settlementIn(response), 'transaction');
  return isSignature(transaction) ? transaction : undefined;
}

/** How to call a method. */
export interface MethodRow {
  /** Path with `:name` for each value. `:cluster` and `:provider` come from the settings. */
  readonly path: string;
  readonly access: string;
  readonly isPost?: boolean;
  /** How the arguments after the path's are sent; undefined if there are none. */
  readonly takes?: string;
  /** For paid rows: each `<cluster>/<provider>` that serves the method, or each `<cluster>`. */
  readonly served?: readonly string[];
  /** Paths of the 64-bit numbers in the result. */
  readonly uint64?: readonly string[];
  /** Whether the body is the result, without an envelope. */
  readonly isBare?: boolean;
}

/** Methods of a family by name. */
export type MethodRows = Readonly<Record<string, MethodRow>>;

/** Methods by family and name. */
export type MethodTable = Readonly<Record<string, MethodRows>>;
