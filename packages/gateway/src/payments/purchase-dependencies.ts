import type { Settlement } from './facilitator/facilitator.ts';
import type { Queues } from './queue.ts';
import type { Reconciler } from './reconcile.ts';
import type { Verifying } from './verification.ts';

/** What a purchase is carried out with. */
export interface PurchaseDependencies extends Verifying {
  readonly reconciler: Reconciler;
  /** One settlement of a payer at a time. */
  readonly settlements: Queues;
  readonly onFailure: (error: unknown) => void;
  /** Told at each step of a purchase, before the next one begins. */
  readonly onStep?: (step: Step) => void;
  /** Told how each settlement has ended. */
  readonly onSettlement?: (outcome: Settlement['outcome']) => void;
}

/** The steps of a purchase, each named when it is done. */
export type Step = 'reserve' | 'verify' | 'upstream' | 'store' | 'settle' | 'record' | 'respond';
