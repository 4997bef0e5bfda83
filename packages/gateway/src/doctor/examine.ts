import { checks } from './checks/index.ts';
import { explore } from './explore.ts';
import type { Finding } from './finding.ts';
import { Visitor } from './visitor.ts';

/** What looking at a gateway came to. */
export interface Diagnosis {
  readonly origin: string;
  readonly routes: number;
  readonly requests: number;
  readonly findings: readonly Finding[];
}

/** Looks at the gateway at an origin. Rejects with `Unreadable` when there is none. */
export async function examine(origin: string): Promise<Diagnosis> {
  const visitor = new Visitor(origin);
  try {
    const world = await explore(visitor);
    const findings = checks.flatMap(({ name, run }) => run(world).map((fault) => ({ check: name, ...fault })));
    return { origin, routes: world.entries.length, requests: visitor.answers.length, findings };
  } finally {
    await visitor.close();
  }
}
