/** A part that must be closed in the end. */
export interface Closable {
  close(): unknown;
}

/** Takes a part that must be closed in the end, and returns it. */
export type Hold = <T extends Closable>(part: T) => T;

/** Runs tasks in turn. If some fail, runs the others all the same, and then rejects. `several`: what is said of more than one failure. */
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

/** Opens parts, and closes those that are held if a later one fails. Answers what `open` answers, with `close` for all. */
export async function opening<T extends object>(
  open: (hold: Hold) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
  const held: Closable[] = [];
  const hold: Hold = (part) => {
    held.push(part);
    return part;
  };
  const close = () => closeAll(held.splice(0));
  try {
    return { ...(await open(hold)), close };
  } catch (error) {
    // Failures to close follow from the first failure, which says what to fix.
    await close().catch(() => undefined);
    throw error;
  }
}
