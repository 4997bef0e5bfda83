import { monotonicMs } from '../clock.ts';
import type { Database } from './database.ts';

/** Called with the duration of each durable step in milliseconds, even if it failed. */
export type OnCommit = (ms: number) => void;

/** Wraps a database to time its durable steps. */
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
