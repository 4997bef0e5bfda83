import { monotonicMs } from '../clock.ts';
import type { Database } from './database.ts';

/** Takes the milliseconds that a durable step took, whether it was written or failed. */
export type OnCommit = (ms: number) => void;

/** The same database, whose durable steps are timed. */
export const timed = (database: Database, onCommit: OnCommit): Database => ({
  dialect: database.dialect,
  now: () => database.now(),
  isReady: () => database.isReady(),
  read: (statement) => database.read(statement),
  report: (statement) => database.report(statement),
  write(step) {
    if (!step.isDurable) return database.write(step);
    const startedMs = monotonicMs();
    return database.write(step).finally(() => onCommit(monotonicMs() - startedMs));
  },
  note: (statement) => database.note(statement),
  close: () => database.close(),
});
