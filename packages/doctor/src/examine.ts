import { oneLine } from '@asset-gateway/protocol';
import { checks } from './checks/index.ts';
import { explore } from './explore.ts';
import type { Check, Fault, Finding } from './finding.ts';
import { HttpClient } from './http-client.ts';
import { notesOn } from './notes.ts';
import { Overrun, within } from './time-limit.ts';
import type { World } from './world.ts';

/** The result of examining a gateway. */
export interface Diagnosis {
  readonly origin: string;
  readonly routes: number;
  readonly requests: number;
  readonly findings: readonly Finding[];
  /** Notes, not faults. */
  readonly notes: readonly string[];
}

const MAX_TEXT = 1_000;
/** Checking our own gateway takes a tenth of a second. */
export const CHECK_SECONDS = 5;

/** Makes a text with another party's words safe to print. */
export function shown(text: string): string {
  const line = oneLine(text, MAX_TEXT);
  return text.length > MAX_TEXT ? `${line}…` : line;
}

function faultsOf({ run }: Check, world: World): readonly Fault[] {
  try {
    return within(CHECK_SECONDS * 1000, () => run(world));
  } catch (error) {
    if (!(error instanceof Overrun)) throw error;
    const problem = `its answers could not be checked within ${CHECK_SECONDS} seconds`;
    return [{ where: `GET ${world.origin}/`, problem, fix: 'Shorten its documents and simplify their schemas' }];
  }
}

/** Checks the gathered answers; sends no requests. Each text of the result is one line of limited length. */
export function diagnose(world: World): Diagnosis {
  const { origin, entries, answers } = world;
  const findings = checks.flatMap((check) =>
    faultsOf(check, world).map(({ where, problem, fix }) => ({
      check: check.name,
      where: shown(where),
      problem: shown(problem),
      fix: shown(fix),
    })),
  );
  return { origin, routes: entries.length, requests: answers.length, findings, notes: notesOn(world).map(shown) };
}

/** Examines the gateway at an origin; sends no request after the signal. Rejects with `Unreadable` if there is no gateway. */
export async function examine(origin: string, signal?: AbortSignal): Promise<Diagnosis> {
  const client = new HttpClient(origin, signal);
  try {
    return diagnose(await explore(origin, client.ask));
  } finally {
    await client.close();
  }
}
