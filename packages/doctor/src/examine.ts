import { oneLine } from '@asset-gateway/protocol';
import { checks } from './checks/index.ts';
import { explore } from './explore.ts';
import type { Check, Fault, Finding } from './finding.ts';
import { HttpClient } from './http-client.ts';
import { notesOn } from './notes.ts';
import { Overrun, within } from './time-limit.ts';
import type { World } from './world.ts';

/** What looking at a gateway came to. */
export interface Diagnosis {
  readonly origin: string;
  readonly routes: number;
  readonly requests: number;
  readonly findings: readonly Finding[];
  /** What is worth knowing and is nothing to fix. */
  readonly notes: readonly string[];
}

const MAX_TEXT = 1_000;
/** Judging what our own gateway answers takes a tenth of a second. */
export const CHECK_SECONDS = 5;

/** A text in which another party's words stand, as it may be printed. */
export function shown(text: string): string {
  const line = oneLine(text, MAX_TEXT);
  return text.length > MAX_TEXT ? `${line}…` : line;
}

function faultsOf({ run }: Check, world: World): readonly Fault[] {
  try {
    return within(CHECK_SECONDS * 1000, () => run(world));
  } catch (error) {
    if (!(error instanceof Overrun)) throw error;
    const problem = `what it answers was not judged within ${CHECK_SECONDS} seconds`;
    return [{ where: `GET ${world.origin}/`, problem, fix: 'Shorten its documents and simplify their schemas' }];
  }
}

/** What is to be said of a gateway by what was gathered; asks nothing. Its texts are one line each, and bounded. */
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

/** Looks at the gateway at an origin, and asks it nothing after the signal. Rejects with `Unreadable` when there is none. */
export async function examine(origin: string, signal?: AbortSignal): Promise<Diagnosis> {
  const client = new HttpClient(origin, signal);
  try {
    return diagnose(await explore(origin, client.ask));
  } finally {
    await client.close();
  }
}
