import { createContext, Script } from 'node:vm';

const context = createContext({ job: undefined });
const script = new Script('job()');

/** A job did not end in its time. */
export class Overrun extends Error {}

/**
 * Runs a synchronous job and stops it after this many milliseconds, also inside a regular expression: then it throws `Overrun`. What
 * another party sent decides how long the job takes.
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
