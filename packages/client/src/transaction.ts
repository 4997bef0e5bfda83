import { HEADERS } from '@asset-gateway/protocol';

/** The transaction of a payment that has settled, from the answer's headers. */
export function transactionIn(response: Response): string | undefined {
  const header = response.headers.get(HEADERS.paymentResponse);
  return header === null ? undefined : (JSON.parse(atob(header)) as { transaction?: string }).transaction;
}
