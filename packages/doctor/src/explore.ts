import {
  below,
  HEADERS,
  listAt,
  receiptRoutes,
  SENT_BY_MISTAKE,
  routes as table,
  textAt,
} from '@asset-gateway/protocol';
import pLimit from 'p-limit';
import { bareTarget, type CatalogEntry, entrySchemas, exampleTarget } from './entry.ts';
import { type Answer, type Ask, type AskOptions, CONNECTIONS } from './http-client.ts';
import { parsed } from './reading.ts';
import { mismatch } from './schema.ts';

/** Thrown if the gateway cannot be examined. The message says why. */
export class Unreadable extends Error {}

/** The most routes, and the most provider lists. */
export const MAX_ROUTES = 500;

const UNKNOWN_PATH = '/nothing-is-served-here';
const MALFORMED_PATH = '/%zz';
const BROWSER_ORIGIN = 'https://browser.example';
const JUNK: Readonly<Record<CatalogEntry['accessMode'], string>> = { siwx: HEADERS.signIn, exact: HEADERS.payment };

/** The documents that describe a gateway. */
const DOCUMENTS = ['liveness', 'catalog', 'openapi', 'wellKnown', 'llms'] as const;
type DocumentName = (typeof DOCUMENTS)[number];

/** Returns the path of a document, which is the same at every gateway. */
const pathOf = (name: DocumentName): string =>
  table.find(({ surface, method }) => surface === 'system' && method === name)?.path ?? '';

/** Returns the results of a job for each item. The jobs run concurrently, and the results keep the items' order. */
const concurrently = <T, R>(items: readonly T[], job: (item: T) => Promise<R>): Promise<R[]> =>
  pLimit(CONNECTIONS).map(items, job);

function preflight(ask: Ask, target: string, method: string, headers: string): Promise<Answer> {
  const sent = {
    Origin: BROWSER_ORIGIN,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': headers,
  };
  return ask('OPTIONS', target, { headers: sent });
}

/** Sends the requests that every endpoint gets after a plain one. `verbs`: all verbs of its path except HEAD and OPTIONS. */
async function probe(ask: Ask, target: string, verbs: readonly string[], plain: Answer) {
  const unsupported = ['GET', 'POST'].find((verb) => !verbs.includes(verb)) ?? 'DELETE';
  return {
    verbs,
    plain,
    otherVerb: await ask(unsupported, target),
    preflight: await preflight(ask, target, plain.method, 'content-type'),
    head: plain.method === 'GET' ? await ask('HEAD', target) : undefined,
  };
}

export type Probe = Awaited<ReturnType<typeof probe>>;

/** Sends the requests for a document, the last one with its ETag. `json` is undefined if the body is not JSON. */
async function probeDocument(ask: Ask, target: string, plain: Answer) {
  const probed = { ...(await probe(ask, target, ['GET'], plain)), json: parsed(plain.body) };
  const { etag } = plain.headers;
  const headers = etag === undefined ? undefined : { 'If-None-Match': etag };
  return { ...probed, again: headers && (await ask('GET', target, { headers })) };
}

export type DocumentProbe = Awaited<ReturnType<typeof probeDocument>>;

async function probeDocuments(ask: Ask, catalog: Answer) {
  const probes = await concurrently(DOCUMENTS, async (name) => {
    const target = pathOf(name);
    return [name, await probeDocument(ask, target, name === 'catalog' ? catalog : await ask('GET', target))];
  });
  return Object.fromEntries(probes) as Readonly<Record<DocumentName, DocumentProbe>>;
}

/** Returns the options of a request with the catalog's example values. */
function exampleRequest(entry: CatalogEntry): AskOptions {
  if (entry.httpMethod === 'GET') return {};
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(entry.inputExample ?? {}) };
}

/**
 * Sends a route's requests without a signature or payment. `unpaid`: its bare URL twice, then with the catalog's example. The first route
 * of an access mode also gets an invalid proof.
 */
async function probeRoute(ask: Ask, entry: CatalogEntry, entries: readonly CatalogEntry[]) {
  const { httpMethod, path, accessMode } = entry;
  const target = bareTarget(entry);
  const plain = await ask(httpMethod, target);
  const unpaid = [
    plain,
    await ask(httpMethod, target),
    await ask(httpMethod, exampleTarget(entry), exampleRequest(entry)),
  ];
  if (entry === entries.find((other) => other.accessMode === accessMode)) {
    unpaid.push(await ask(httpMethod, target, { headers: { [JUNK[accessMode]]: 'junk' } }));
  }
  const verbs = entries.filter((other) => other.path === path).map((other) => other.httpMethod);
  return { ...(await probe(ask, target, verbs, plain)), entry, unpaid };
}

export type RouteProbe = Awaited<ReturnType<typeof probeRoute>>;

/** Reads the catalog, the reference of the checks. */
async function readCatalog(ask: Ask): Promise<Answer> {
  const answer = await ask('GET', pathOf('catalog'));
  const { status, url, headers, body, failure } = answer;
  if (failure !== undefined) throw new Unreadable(`${url} does not answer (${failure})`);
  if (headers.location !== undefined) {
    throw new Unreadable(`${url} redirects to ${headers.location}: pass the final URL`);
  }
  if (status === 200 && Array.isArray(below(parsed(body), 'routes'))) return answer;
  throw new Unreadable(`${url} answers ${status} without a catalog: pass the URL of a gateway`);
}

const isComplete = (entry: unknown): entry is CatalogEntry =>
  entrySchemas(below(entry, 'accessMode')).every((schema) => mismatch(schema, entry) === undefined);

/** Reads the catalog's list of each provider. */
async function probeProviders(ask: Ask, catalog: unknown) {
  const providers = listAt(catalog, 'categories', 'providers')
    .slice(0, MAX_ROUTES)
    .filter((provider) => textAt(provider, 'href')[0] === '/');
  return concurrently(providers, async (provider) => {
    const answer = await ask('GET', textAt(provider, 'href'));
    return { id: textAt(provider, 'id'), routeCount: below(provider, 'routeCount'), answer };
  });
}

/** Reads the public keys of receipts if OpenAPI lists them. */
async function probeDidDocument(ask: Ask, openApi: unknown) {
  const [row] = receiptRoutes;
  if (!row || below(openApi, 'paths', row.path) === undefined) return undefined;
  const plain = await ask('GET', row.path);
  return { plain, json: parsed(plain.body) };
}

/** Sends all requests for the checks, and gathers the answers. */
export async function explore(origin: string, askOnce: Ask) {
  const answers: Answer[] = [];
  const ask: Ask = async (...request) => {
    const answer = await askOnce(...request);
    answers.push(answer);
    return answer;
  };
  const documents = await probeDocuments(ask, await readCatalog(ask));
  const catalog = documents.catalog.json;
  const listed = listAt(catalog, 'routes');
  const entries = listed.slice(0, MAX_ROUTES).filter(isComplete);
  const [first] = entries;
  return {
    origin,
    /** The catalog's complete entries. */
    entries,
    /** How many routes are beyond the limit. */
    leftOut: Math.max(0, listed.length - MAX_ROUTES),
    documents,
    didDocument: await probeDidDocument(ask, documents.openapi.json),
    providers: await probeProviders(ask, catalog),
    routes: await concurrently(entries, (entry) => probeRoute(ask, entry, entries)),
    /** A preflight with the header that the official browser client sends by mistake. */
    officialPreflight: first && (await preflight(ask, bareTarget(first), first.httpMethod, SENT_BY_MISTAKE)),
    strays: {
      unknownPath: await ask('GET', UNKNOWN_PATH),
      unknownPreflight: await preflight(ask, UNKNOWN_PATH, 'GET', 'content-type'),
      malformedPath: await ask('GET', MALFORMED_PATH),
      unknownProvider: await ask('GET', `${pathOf('catalog')}?provider=nobody`),
    },
    /** Every answer, in order of arrival. */
    answers,
  };
}

/** All requests to a gateway and their answers. */
export type Exploration = Awaited<ReturnType<typeof explore>>;

/** Returns the probes of all endpoints. */
export const allProbes = ({ documents, routes }: Exploration): readonly Probe[] => [
  ...Object.values(documents),
  ...routes,
];

/** Returns the answers to unpaid requests, each with its route's entry. */
export const unpaidAnswers = ({ routes }: Exploration): { readonly entry: CatalogEntry; readonly answer: Answer }[] =>
  routes.flatMap(({ entry, unpaid }) =>
    unpaid.filter(({ status }) => status !== 0).map((answer) => ({ entry, answer })),
  );
