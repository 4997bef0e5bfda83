import { CHECK_SECONDS, examine, shown } from './examine.ts';
import { MAX_ROUTES, Unreadable } from './explore.ts';
import { ASKING_SECONDS, PAUSES_SECONDS } from './http-client.ts';
import { report } from './report.ts';

const USAGE = `Usage: asset-gateway doctor <url>
       asset-gateway-doctor <url>
  Looks at the gateway at <url> from outside, as crawlers and browsers do, and prints what to fix.
  It signs nothing, pays nothing and reaches no upstream. A line that begins with · is no fault.
  It asks for ${ASKING_SECONDS} seconds at most, looks at ${MAX_ROUTES} routes at most, waits ${PAUSES_SECONDS} seconds in all when it is answered 429, and
  judges for ${CHECK_SECONDS} seconds a check at most. The report says which of these limits were reached.
  Exit code: 0 nothing to fix, 1 something to fix, 2 no gateway could be read there.
`;

/** Where the command writes to. */
interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

function originIn(words: readonly string[]): string | undefined {
  const [word = ''] = words;
  const url = words.length === 1 && URL.canParse(word) ? new URL(word) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** The command `asset-gateway doctor`, with the words after it; answers with its exit code. */
export async function doctor(words: readonly string[], { stdout, stderr }: Output): Promise<number> {
  if (words.some((word) => word === '--help' || word === '-h')) {
    stdout.write(USAGE);
    return 0;
  }
  const origin = originIn(words);
  if (origin === undefined) {
    stderr.write(USAGE);
    return 2;
  }
  try {
    const diagnosis = await examine(origin);
    stdout.write(report(diagnosis));
    return diagnosis.findings.length > 0 ? 1 : 0;
  } catch (error) {
    // What a stranger's documents hold can be more than can be read: too deep, or no text.
    const reason = error instanceof Unreadable ? error.message : `${origin} cannot be looked at (${error})`;
    stderr.write(`doctor: ${shown(reason)}.\n`);
    return 2;
  }
}
