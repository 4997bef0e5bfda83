import { bareTarget } from '../entry.ts';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import { at, listAt } from '../json.ts';
import type { World } from '../world.ts';

function wellKnownFaults({ documents, entries, leftOut, origin }: World): Fault[] {
  const { plain, json } = documents.wellKnown;
  if (plain.status !== 200) return [];
  const where = whereOf(plain);
  const listed = new Set(listAt(json, 'resources'));
  const served = new Set(entries.map((entry) => origin + bareTarget(entry)));
  const missing = [...served].filter((url) => !listed.has(url));
  const unknown = [...listed].filter((url) => !served.has(String(url)));
  return [
    ...unless(at(json, 'version') === 1, { where, problem: 'its version is not 1', fix: 'Add "version":1' }),
    ...unless(missing.length === 0, {
      where,
      problem: `it lacks ${missing.length} of ${served.size} routes, such as ${missing[0]}`,
      fix: 'List every route that answers 402, at the origin that clients dial',
    }),
    ...unless(unknown.length === 0 || leftOut > 0, {
      where,
      problem: `the catalog does not list ${unknown.length} of its URLs, such as ${unknown[0]}`,
      fix: 'List the URLs of enabled routes with the examples of the catalog, and no other',
    }),
  ];
}

function llmsFaults({ documents, entries, origin }: World): Fault[] {
  const { plain } = documents.llms;
  if (plain.status !== 200) return [];
  const where = whereOf(plain);
  const words = new Set(plain.body.toLowerCase().split(/\W+/));
  const missing = [...new Set(entries.map(({ surface }) => surface))].filter((surface) => !words.has(surface));
  return [
    ...missing.map((surface) => ({
      where,
      problem: `it does not mention ${surface}`,
      fix: 'Give each family of routes a section',
    })),
    ...unless(plain.body.includes(origin), {
      where,
      problem: 'none of its links leads here',
      fix: `Link to the routes at ${origin}`,
    }),
  ];
}

/** Whether `/.well-known/x402` has the URL of each gated route, and of nothing else. */
export const wellKnownCheck: Check = { name: 'well-known', run: wellKnownFaults };

/** Whether a language model would learn of everything that is served. */
export const llmsCheck: Check = { name: 'llms', run: llmsFaults };
