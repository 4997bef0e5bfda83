import { createContext, Script } from 'node:vm';

const context = createContext({ job: undefined });
const script = new Script('job()');

/** A job took too long. */
export class Overrun extends Error {}

/**
 * Runs a synchronous job with a time limit, also inside of a regular expression. Throws `Overrun` when the time is over. Used for input
 * of another party.
 */
export function within<T>(milliseconds: number, job: () => T): T {
  context.job = job;
  try {
    return script.runInContext(context, { timeout: milliseconds }) as T;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new Overrun(`more than ${milliseconds} ms`);
    throw error;
  }
}
