import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import { at, textAt } from '../json.ts';
import type { DocumentName, DocumentProbe } from '../world.ts';

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
    const problem = `it answers ${plain.status}, and crawlers look for it there`;
    return [{ where, problem, fix: 'Serve the document to everybody' }];
  }
  const isRead = TYPES[name].test(plain.headers['content-type'] ?? '');
  const isParsed = name === 'llms' || json !== undefined;
  return [
    ...unless(isRead && isParsed, {
      where,
      problem: 'its content type is not that of its body',
      fix: name === 'llms' ? 'Serve text/plain' : 'Serve application/json',
    }),
    ...(name === 'liveness' ? [] : revalidationFaults(plain.headers.etag, again, where)),
  ];
}

function revalidationFaults(tag: string | undefined, again: DocumentProbe['again'], where: string): Fault[] {
  if (tag === undefined) {
    const problem = 'it has no ETag, so that everybody fetches all of it every time';
    return [{ where, problem, fix: 'Send an ETag, and 304 to who has that already' }];
  }
  const isUnchanged = again?.status === 304 && again.headers.etag === tag && again.body === '';
  return unless(isUnchanged || again?.status === 0, {
    where,
    problem: `asked with its own ETag it answers ${again?.status} instead of a bare 304 with that ETag`,
    fix: 'Compare If-None-Match with the ETag',
  });
}

/** Whether the gateway says that it lives. */
export const livenessCheck: Check = {
  name: 'liveness',
  run: ({ documents: { liveness } }) => {
    const body = liveness.json;
    const lives = at(body, 'ok') === true && at(body, 'status') === 'healthy' && textAt(body, 'service') !== '';
    return unless(lives || liveness.plain.status !== 200, {
      where: whereOf(liveness.plain),
      problem: 'the liveness body does not say ok, service and status',
      fix: 'Answer {"ok":true,"service":"<name>","status":"healthy"}',
    });
  },
};

/** Whether the documents are where crawlers look for them, and are not sent again to who has them. */
export const documentsCheck: Check = {
  name: 'documents',
  run: ({ documents }) =>
    (Object.keys(TYPES) as DocumentName[]).flatMap((name) => documentFaults(name, documents[name])),
};
