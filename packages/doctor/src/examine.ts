import { checks } from './checks/index.ts';
import { explore } from './explore.ts';
import type { Finding } from './finding.ts';
import { HttpClient } from './http-client.ts';
import { notesOn } from './notes.ts';
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

/** What is to be said of a gateway by what was gathered; asks nothing. */
export function diagnose(world: World): Diagnosis {
  const { origin, entries, answers } = world;
  const findings = checks.flatMap(({ name, run }) => run(world).map((fault) => ({ check: name, ...fault })));
  return { origin, routes: entries.length, requests: answers.length, findings, notes: notesOn(world) };
}

/** Looks at the gateway at an origin. Rejects with `Unreadable` when there is none. */
export async function examine(origin: string): Promise<Diagnosis> {
  const client = new HttpClient(origin);
  try {
    return diagnose(await explore(origin, client.ask));
  } finally {
    await client.close();
  }
}
