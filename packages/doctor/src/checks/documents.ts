import { below, listAt, textAt } from '@asset-gateway/protocol';
import { bareTarget } from '../entry.ts';
import type { DocumentProbe, Exploration } from '../explore.ts';
import { type Fault, faultsAt, type Problem, unless } from '../finding.ts';

/** Checks that the liveness probe answers as documented. */
export function liveness({ documents }: Exploration): Fault[] {
  const { plain, json } = documents.liveness;
  const isHealthy = below(json, 'ok') === true && below(json, 'status') === 'healthy' && textAt(json, 'service') !== '';
  const problem = 'the liveness body has no ok, service or status';
  const fix = 'Answer {"ok":true,"service":"<name>","status":"healthy"}';
  return faultsAt(plain, unless(isHealthy || plain.status !== 200, { problem, fix }));
}

function revalidationProblem({ plain, again }: DocumentProbe): Problem | undefined {
  const tag = plain.headers.etag;
  if (tag === undefined) {
    const problem = 'it has no ETag, so every client downloads it each time';
    return { problem, fix: 'Send an ETag, and 304 if it matches' };
  }
  const isUnchanged = again?.status === 304 && again.headers.etag === tag && again.body === '';
  return unless(isUnchanged || again?.status === 0, {
    problem: `a request with its ETag is answered ${again?.status} instead of an empty 304 with that ETag`,
    fix: 'Compare If-None-Match with the ETag',
  });
}

function documentFaults(name: string, probe: DocumentProbe): Fault[] {
  const { plain, json } = probe;
  if (plain.status === 0) return [];
  if (plain.status !== 200) {
    const problem = `it answers ${plain.status}, but crawlers expect it there`;
    return faultsAt(plain, { problem, fix: 'Serve the document to all clients' });
  }
  const type = plain.headers['content-type'] ?? '';
  const isText = name === 'llms';
  const isRead = isText ? /^text\/(?:plain|markdown)\b/.test(type) : /^application\/json\b/.test(type);
  return faultsAt(plain, [
    unless(isRead && (isText || json !== undefined), {
      problem: 'its content type does not match its body',
      fix: isText ? 'Serve text/plain' : 'Serve application/json',
    }),
    name === 'liveness' ? undefined : revalidationProblem(probe),
  ]);
}

/** Checks that crawlers find the documents in the expected places and can revalidate them. */
export const documents = (exploration: Exploration): Fault[] =>
  Object.entries(exploration.documents).flatMap(([name, probe]) => documentFaults(name, probe));

/** Checks that `/.well-known/x402` lists exactly the gated routes. */
export function wellKnown({ documents, entries, leftOut, origin }: Exploration): Fault[] {
  const { plain, json } = documents.wellKnown;
  if (plain.status !== 200) return [];
  const listed = new Set(listAt(json, 'resources'));
  const served = new Set(entries.map((entry) => origin + bareTarget(entry)));
  const missing = [...served].filter((url) => !listed.has(url));
  const unknown = [...listed].filter((url) => !served.has(String(url)));
  return faultsAt(plain, [
    unless(below(json, 'version') === 1, { problem: 'its version is not 1', fix: 'Add "version":1' }),
    unless(missing.length === 0, {
      problem: `${missing.length} of ${served.size} routes are missing, such as ${missing[0]}`,
      fix: 'List every route that answers 402, at the origin that clients use',
    }),
    unless(unknown.length === 0 || leftOut > 0, {
      problem: `${unknown.length} of its URLs are not in the catalog, such as ${unknown[0]}`,
      fix: "List only the URLs of enabled routes, with the catalog's examples",
    }),
  ]);
}

/** Checks that llms.txt covers every surface. */
export function llms({ documents, entries, origin }: Exploration): Fault[] {
  const { plain } = documents.llms;
  if (plain.status !== 200) return [];
  const words = new Set(plain.body.toLowerCase().split(/\W+/));
  const surfaces = [...new Set(entries.map(({ surface }) => surface))];
  const fix = 'Give each family of routes a section';
  return faultsAt(plain, [
    ...surfaces.map((surface) => unless(words.has(surface), { problem: `it does not mention ${surface}`, fix })),
    unless(plain.body.includes(origin), {
      problem: 'none of its links points to this gateway',
      fix: `Link to the routes at ${origin}`,
    }),
  ]);
}
