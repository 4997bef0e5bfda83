import { below, listAt, textAt } from '@asset-gateway/protocol';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import { bareTarget, type DocumentName, type DocumentProbe, type World } from '../world.ts';

const TYPES: Readonly<Record<DocumentName, RegExp>> = {
  liveness: /^application\/json\b/,
  catalog: /^application\/json\b/,
  openapi: /^application\/json\b/,
  wellKnown: /^application\/json\b/,
  llms: /^text\/(?:plain|markdown)\b/,
};

function documentFaults(name: DocumentName, { plain, json, again }: DocumentProbe): Fault[] {
  const where = whereOf(plain);
  if (plain.status === 0) return [];
  if (plain.status !== 200) {
    const problem = `it answers ${plain.status}, but crawlers expect it there`;
    return [{ where, problem, fix: 'Serve the document to all clients' }];
  }
  const isRead = TYPES[name].test(plain.headers['content-type'] ?? '');
  const isParsed = name === 'llms' || json !== undefined;
  return [
    ...unless(isRead && isParsed, {
      where,
      problem: 'its content type does not match its body',
      fix: name === 'llms' ? 'Serve text/plain' : 'Serve application/json',
    }),
    ...(name === 'liveness' ? [] : revalidationFaults(plain.headers.etag, again, where)),
  ];
}

function revalidationFaults(tag: string | undefined, again: DocumentProbe['again'], where: string): Fault[] {
  if (tag === undefined) {
    const problem = 'it has no ETag, so every client downloads it each time';
    return [{ where, problem, fix: 'Send an ETag, and 304 if it matches' }];
  }
  const isUnchanged = again?.status === 304 && again.headers.etag === tag && again.body === '';
  return unless(isUnchanged || again?.status === 0, {
    where,
    problem: `a request with its ETag is answered ${again?.status} instead of an empty 304 with that ETag`,
    fix: 'Compare If-None-Match with the ETag',
  });
}

/** The liveness probe answers as documented. */
export const livenessCheck: Check = {
  name: 'liveness',
  run: ({ documents: { liveness } }) => {
    const body = liveness.json;
    const lives = below(body, 'ok') === true && below(body, 'status') === 'healthy' && textAt(body, 'service') !== '';
    return unless(lives || liveness.plain.status !== 200, {
      where: whereOf(liveness.plain),
      problem: 'the liveness body has no ok, service or status',
      fix: 'Answer {"ok":true,"service":"<name>","status":"healthy"}',
    });
  },
};

/** The documents are where crawlers expect them, and can be revalidated. */
export const documentsCheck: Check = {
  name: 'documents',
  run: ({ documents }) =>
    (Object.keys(TYPES) as DocumentName[]).flatMap((name) => documentFaults(name, documents[name])),
};

function wellKnownFaults({ documents, entries, leftOut, origin }: World): Fault[] {
  const { plain, json } = documents.wellKnown;
  if (plain.status !== 200) return [];
  const where = whereOf(plain);
  const listed = new Set(listAt(json, 'resources'));
  const served = new Set(entries.map((entry) => origin + bareTarget(entry)));
  const missing = [...served].filter((url) => !listed.has(url));
  const unknown = [...listed].filter((url) => !served.has(String(url)));
  return [
    ...unless(below(json, 'version') === 1, { where, problem: 'its version is not 1', fix: 'Add "version":1' }),
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
