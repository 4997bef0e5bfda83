import type { OriginOf } from '../gates/gate.ts';
import type { ReceiptIssuer } from '../receipts/response.ts';
import type { Queues } from './queue.ts';
import type { Memos } from './read/requirement.ts';
import type { ReconcilerDependencies } from './reconcile.ts';
import type { VerifyingDependencies } from './verification.ts';

/** The steps of a purchase, each reported when it is done. */
export type PurchaseStep = 'reserve' | 'verify' | 'upstream' | 'store' | 'settle' | 'record' | 'respond';

/** What the payment gates of all routes share. */
export interface PaymentDependencies extends ReconcilerDependencies, VerifyingDependencies {
  /** One settlement of a payer at a time. */
  readonly settlements: Queues;
  /** Issues and checks memos and tickets; undefined if requirements have no memo. */
  readonly memos: Memos | undefined;
  readonly originOf: OriginOf;
  /** Undefined if receipts are not signed. */
  readonly receipts: ReceiptIssuer | undefined;
  readonly randomId: () => string;
  readonly onFailure: (error: unknown) => void;
  /** Called after each step of a purchase, before the next one begins. */
  readonly onStep?: ((step: PurchaseStep) => void) | undefined;
}
