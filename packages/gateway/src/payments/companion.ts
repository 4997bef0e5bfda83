import type { Step } from './machine.ts';
import type { JournalEntry } from './store/journal.ts';
import type { Change, Stored } from './store/port.ts';

/** A document that is to change in the same commit as a step. */
export interface CompanionChange {
  readonly name: string;
  /** What becomes of it as it is stored; asked again where somebody else has changed it meanwhile. */
  readonly change: (stored: Stored) => Change;
}

/** Keeps documents or entries of its own that are written together with payments, in one commit: both are written, or neither is. */
export interface Companion {
  /** What changes with a step that the machine has decided. */
  changesWith?(step: Step): readonly CompanionChange[];
  /** What the journal is to say of it; `node` is the process that takes the step. */
  entriesOf?(step: Step, node: string): readonly JournalEntry[];
}
