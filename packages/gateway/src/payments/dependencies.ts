import type { Crypto } from '../crypto.ts';
import type { Facilitator, Settlement } from './facilitator/facilitator.ts';
import type { Payments } from './payments.ts';
import type { PurchaseStep } from './purchase-state.ts';
import type { Queues } from './queue.ts';
import type { CallDependencies, Memos } from './read/requirement.ts';
import type { Reconciler } from './reconcile.ts';
import type { Verifier } from './verification.ts';

/** The dependencies that the payment gates of all routes share. */
export interface PaymentDependencies {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  readonly reconciler: Reconciler;
  readonly verifier: Verifier;
  /** The queues in which each payer's settlements wait, so that a payer has one settlement at a time. */
  readonly settlements: Queues;
  /** Issues and checks memos and tickets. */
  readonly memos: Memos;
  readonly calls: CallDependencies;
  readonly crypto: Crypto;
  readonly onFailure: (error: unknown) => void;
  /** Called after each step of a purchase, before the next one begins. */
  readonly onStep?: ((step: PurchaseStep) => void) | undefined;
  /** Called with the outcome of each settlement. */
  readonly onSettlement?: ((outcome: Settlement['outcome']) => void) | undefined;
}
