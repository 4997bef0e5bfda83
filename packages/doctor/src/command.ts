import { CHECK_SECONDS, type Diagnosis, examine, shown } from './examine.ts';
import { MAX_ROUTES, Unreadable } from './explore.ts';
import type { Finding } from './finding.ts';
import { ASKING_SECONDS, PAUSES_SECONDS } from './http-client.ts';

const MAX_LINES = 200;

/** Returns a diagnosis as text: a line for each fault with all its places, the notes, and a summary. */
function report({ origin, routes, requests, findings, notes }: Diagnosis): string {
  const faults = new Map<string, Finding & { readonly places: number }>();
  for (const finding of findings) {
    const { check, problem, fix } = finding;
    const key = JSON.stringify([check, problem, fix]);
    const { where, places } = faults.get(key) ?? { where: finding.where, places: 0 };
    faults.set(key, { ...finding, where, places: places + 1 });
  }
  const lines = [...faults.values()].slice(0, MAX_LINES).map(({ where, places, problem, fix }) => {
    const more = places > 1 ? ` and ${places - 1} more` : '';
    return `✗ ${where}${more}: ${problem}. ${fix}.\n`;
  });
  if (faults.size > MAX_LINES) lines.push(`✗ ${faults.size - MAX_LINES} more, not printed.\n`);
  const noted = notes.map((note) => `· ${note}.\n`);
  const summary = faults.size === 0 ? `✓ ${origin}: nothing to fix` : `${origin}: ${faults.size} to fix`;
  return `${lines.join('')}${noted.join('')}${summary} (${routes} routes, ${requests} requests).\n`;
}

const USAGE = `Usage: asset-gateway doctor <url>
       asset-gateway-doctor <url>
  Examines the gateway at <url> from outside, as crawlers and browsers do, and prints what to fix.
  <url> starts with http:// or https://, such as http://localhost:8402.
  It signs nothing, pays nothing and causes no upstream call. A line that starts with · is a note, not a fault.
  Limits: ${ASKING_SECONDS} seconds of requests, ${MAX_ROUTES} routes, ${PAUSES_SECONDS} seconds of pauses after 429, ${CHECK_SECONDS} seconds per check.
  The report says which limits were reached.
  Exit codes: 0 nothing to fix, 1 something to fix, 2 no gateway found.
`;

type Output = Readonly<Record<'stdout' | 'stderr', { write(text: string): unknown }>>;

function originIn(words: readonly string[]): string | undefined {
  const [word = ''] = words;
  const url = words.length === 1 && URL.canParse(word) ? new URL(word) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** Runs `asset-gateway doctor` with these arguments. Returns its exit code. */
export async function doctor(words: readonly string[], { stdout, stderr }: Output): Promise<number> {
  if (words.some((word) => word === '--help' || word === '-h')) {
    stdout.write(USAGE);
    return 0;
  }
  const origin = originIn(words);
  if (origin === undefined) {
    const fault = words.length === 0 ? '' : 'doctor: pass one URL that starts with http:// or https://.\n';
    stderr.write(`${fault}${USAGE}`);
    return 2;
  }
  try {
    const diagnosis = await examine(origin);
    stdout.write(report(diagnosis));
    return diagnosis.findings.length > 0 ? 1 : 0;
  } catch (error) {
    // The gateway's documents may be too deep or not text.
    const reason = error instanceof Unreadable ? error.message : `${origin} cannot be examined (${error})`;
    stderr.write(`doctor: ${shown(reason)}.\n`);
    return 2;
  }
}
