type End = () => Promise<void>;

const ends = new Set<End>();

/** An end that runs once: at a test's request, or after the file's tests. */
export function endsAfterTests(end: () => Promise<unknown>): End {
  const once = async () => {
    if (ends.delete(once)) await end();
  };
  ends.add(once);
  return once;
}

/** Ends everything that still runs, the last started first. */
export async function endAll(): Promise<void> {
  for (const end of [...ends].reverse()) await end();
}
