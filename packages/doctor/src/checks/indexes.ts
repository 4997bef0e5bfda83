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
      problem: `${missing.length} of ${served.size} routes are missing, such as ${missing[0]}`,
      fix: 'List every route that answers 402, at the origin that clients use',
    }),
    ...unless(unknown.length === 0 || leftOut > 0, {
      where,
      problem: `${unknown.length} of its URLs are not in the catalog, such as ${unknown[0]}`,
      fix: "List only the URLs of enabled routes, with the catalog's examples",
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
      problem: 'none of its links points to this gateway',
      fix: `Link to the routes at ${origin}`,
    }),
  ];
}

/** `/.well-known/x402` lists exactly the gated routes. */
export const wellKnownCheck: Check = { name: 'well-known', run: wellKnownFaults };

/** llms.txt covers every surface. */
export const llmsCheck: Check = { name: 'llms', run: llmsFaults };
