import { resultWithin } from './result-within.ts';

/** A part that must be closed. */
interface Closable {
  close(): unknown;
}

/** Registers a part for closing, and returns it. */
export type CloseLater = <T extends Closable>(part: T) => T;

/** Runs all tasks in turn, even if some fail, and then rejects with the failures. `several`: the message if more than one failed. */
export async function runAll(tasks: readonly (() => unknown)[], several: string): Promise<void> {
  const failures: unknown[] = [];
  for (const task of tasks) {
    try {
      await task();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, several);
  if (failures.length === 1) throw failures[0];
}

/** Closes parts, the last first. */
export const closeAll = (parts: readonly Closable[]): Promise<void> =>
  runAll(
    parts.toReversed().map((part) => () => part.close()),
    'several parts could not be closed',
  );

/**
 * How long closing may take, in milliseconds. A supervisor that follows docs/operating/restarts-and-state.md kills the process 10 s after
 * the limit of the drain (`drainMs`).
 */
const CLOSE_MS = 8_000;

/** Closes a part. Rejects if that takes too long. The process must then end, and the next start recovers as after a crash. */
export async function closeInTime(part: Closable): Promise<void> {
  const closing = Promise.resolve(part.close()).then(() => true);
  const isClosed = await resultWithin(CLOSE_MS, closing);
  if (!isClosed) throw new Error(`not closed within ${CLOSE_MS / 1_000} s; the next start recovers as after a crash`);
}

/** Opens parts. If a later part fails, closes the earlier ones. Returns the result of `open`, with `close` for all parts. */
export async function openTogether<T extends object>(
  open: (closeLater: CloseLater) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
  const opened: Closable[] = [];
  const closeLater: CloseLater = (part) => {
    opened.push(part);
    return part;
  };
  const close = () => closeAll(opened.splice(0));
  try {
    return { ...(await open(closeLater)), close };
  } catch (error) {
    // Report the failure of the start, because it says what to fix. A failure to close only follows from it.
    await close().catch(() => undefined);
    throw error;
  }
}
