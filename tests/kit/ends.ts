type End = () => Promise<void>;

const ends = new Set<End>();

/** An end that comes once: when a test asks for it, or after the tests of its file. */
export function endsAfterTests(end: () => Promise<unknown>): End {
  const once = async () => {
    if (ends.delete(once)) await end();
  };
  ends.add(once);
  return once;
}

/** Ends everything that runs; what was started last ends first. */
export async function endAll(): Promise<void> {
  for (const end of [...ends].reverse()) await end();
}
