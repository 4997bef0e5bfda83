import { HEADERS } from '@asset-gateway/protocol';
import { isSignature } from './error.ts';

/** The transaction of a payment that has settled, from the answer's headers; undefined if they name none. */
export function transactionIn(response: Response): string | undefined {
  try {
    const { transaction } = JSON.parse(atob(response.headers.get(HEADERS.paymentResponse) ?? '')) as {
      readonly transaction?: unknown;
    };
    return isSignature(transaction) ? transaction : undefined;
  } catch {
    return undefined;
  }
}
