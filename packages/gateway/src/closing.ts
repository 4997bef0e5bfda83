/** A part that must be closed in the end. */
export interface Closable {
  close(): unknown;
}

/** Takes a part that must be closed in the end, and returns it. */
export type Hold = <T extends Closable>(part: T) => T;

/** Closes parts, the last first. If some fail, closes the others all the same, and then rejects. */
export async function closeAll(parts: readonly Closable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts.toReversed()) {
    try {
      await part.close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, 'several parts could not be closed');
  if (failures.length === 1) throw failures[0];
}

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
