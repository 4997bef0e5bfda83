import { type GroupKind, kindOf, shareOf } from '../budget/shares.ts';
import type { Payments } from '../payments/payments.ts';
import type { Sharing } from '../stages/spend.ts';

/** What shares are told by. */
export interface SharingParts {
  /** Nothing where nobody can have paid. */
  readonly payments: Pick<Payments, 'isKnownPayer'> | undefined;
  /** Told of each slot that was taken, by the kind of group it is charged to. */
  readonly onSlot: (kind: GroupKind) => void;
}

/**
 * Shares out slots among callers. A wallet whose payments cannot be looked up counts as one that has not paid; the store that
 * does not answer that refuses the slot as well.
 */
export const createSharing = ({ payments, onSlot }: SharingParts): Sharing => ({
  async shareOf({ client, wallet = '' }) {
    const hasPaid = (await payments?.isKnownPayer(wallet).catch(() => false)) ?? false;
    return shareOf(client, wallet, hasPaid);
  },
  onSlot: (charged) => onSlot(kindOf(charged)),
});
