import { HEADERS } from '@asset-gateway/protocol';
import { isSignature } from './error.ts';

/** The credit fields of an answer, in millionths of a dollar. */
export interface CreditUse {
  /** The price of this answer; undefined if it was paid on chain. */
  readonly chargedMicros?: number;
  readonly balanceMicros: number;
}

/** A dictionary member of RFC 8941 with an integer, the only kind that a gateway sends here. */
const MEMBER = /^(charged|balance)=(\d{1,15})$/;

/** The charge and the balance in an answer's headers; undefined if it has no credit header. */
export function creditIn(response: Response): CreditUse | undefined {
  const members = (response.headers.get(HEADERS.credit) ?? '').split(',').map((member) => MEMBER.exec(member.trim()));
  const amounts = new Map(members.flatMap((found) => (found ? [[found[1], Number(found[2])] as const] : [])));
  const [chargedMicros, balanceMicros] = [amounts.get('charged'), amounts.get('balance')];
  if (balanceMicros === undefined) return undefined;
  return { ...(chargedMicros !== undefined && { chargedMicros }), balanceMicros };
}

/** The transaction of a settled payment, from the answer's headers; undefined if they name none. */
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
