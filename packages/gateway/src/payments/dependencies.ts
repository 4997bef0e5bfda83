import type { Queues } from './queue.ts';
import type { CallDependencies, Memos } from './read/requirement.ts';
import type { ReconcilerDependencies } from './reconcile.ts';
import type { PurchaseStep } from './steps.ts';
import type { VerifyingDependencies } from './verification.ts';

/** What the payment gates of all routes share. */
export interface PaymentDependencies extends ReconcilerDependencies, VerifyingDependencies, CallDependencies {
  /** One settlement of a payer at a time. */
  readonly settlements: Queues;
  /** Issues and checks memos and tickets. */
  readonly memos: Memos;
  readonly onFailure: (error: unknown) => void;
  /** Called after each step of a purchase, before the next one begins. */
  readonly onStep?: ((step: PurchaseStep) => void) | undefined;
}
