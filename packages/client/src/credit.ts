import { HEADERS } from '@asset-gateway/protocol';

/** What an answer says of the wallet's credit, in millionths of a dollar. */
export interface CreditUse {
  /** What this answer was charged; nothing where it was paid for by a transfer. */
  readonly chargedMicros?: number;
  readonly balanceMicros: number;
}

/** A dictionary of integers as RFC 8941 has it, the only kind that a gateway sends here. */
const MEMBER = /^(charged|balance)=(\d{1,15})$/;

/** What an answer has cost the wallet's credit and what is left; nothing where it has nothing to do with credit. */
export function creditIn(response: Response): CreditUse | undefined {
  const members = (response.headers.get(HEADERS.credit) ?? '').split(',').map((member) => MEMBER.exec(member.trim()));
  const amounts = new Map(members.flatMap((found) => (found ? [[found[1], Number(found[2])] as const] : [])));
  const [chargedMicros, balanceMicros] = [amounts.get('charged'), amounts.get('balance')];
  if (balanceMicros === undefined) return undefined;
  return { ...(chargedMicros !== undefined && { chargedMicros }), balanceMicros };
}
