import {
  below,
  HEADERS,
  listAt,
  receiptRoutes,
  SENT_BY_MISTAKE,
  routes as table,
  textAt,
} from '@asset-gateway/protocol';
import { type Answer, type Ask, type AskOptions, CONNECTIONS } from './http-client.ts';
import { parsed } from './reading.ts';
import { mismatch } from './schema.ts';
import {
  bareTarget,
  type DocumentName,
  type DocumentProbe,
  type Entry,
  entrySchemas,
  exampleTarget,
  type Probe,
  type ProviderList,
  type RouteProbe,
  type World,
} from './world.ts';

/** The gateway cannot be examined; the message says why. */
export class Unreadable extends Error {}

/** The limit of routes, and of provider lists. */
export const MAX_ROUTES = 500;

const UNKNOWN_PATH = '/nothing-is-served-here';
const MALFORMED_PATH = '/%zz';
const BROWSER_ORIGIN = 'https://browser.example';
const JUNK: Readonly<Record<Entry['accessMode'], string>> = { siwx: HEADERS.signIn, exact: HEADERS.payment };

/** The path of a document, the same at every gateway. */
function pathOf(name: DocumentName): string {
  const row = table.find(({ surface, method }) => surface === 'system' && method === name);
  if (!row) throw new Error(`the table has no document ${name}`);
  return row.path;
}

/** Maps items concurrently and keeps their order. */
async function concurrently<T, R>(items: readonly T[], job: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await job(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return results;
}

function preflight(ask: Ask, target: string, method: string, headers: string): Promise<Answer> {
  const sent = {
    Origin: BROWSER_ORIGIN,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': headers,
  };
  return ask('OPTIONS', target, { headers: sent });
}

/** Sends the requests that follow the plain one, for every endpoint. */
async function probe(ask: Ask, target: string, verbs: readonly string[], plain: Answer): Promise<Probe> {
  const httpMethod = plain.method;
  const other = ['GET', 'POST'].find((verb) => !verbs.includes(verb)) ?? 'DELETE';
  const others = {
    otherVerb: await ask(other, target),
    preflight: await preflight(ask, target, httpMethod, 'content-type'),
  };
  const head = httpMethod === 'GET' ? { head: await ask('HEAD', target) } : {};
  return { httpMethod, verbs, plain, ...others, ...head };
}

async function probeDocument(ask: Ask, name: DocumentName, plain: Answer): Promise<DocumentProbe> {
  const target = pathOf(name);
  const probed = { ...(await probe(ask, target, ['GET'], plain)), json: parsed(plain.body) };
  const { etag } = plain.headers;
  if (etag === undefined) return probed;
  return { ...probed, again: await ask('GET', target, { headers: { 'If-None-Match': etag } }) };
}

async function probeDocuments(ask: Ask, catalog: Answer): Promise<World['documents']> {
  const names: readonly DocumentName[] = ['liveness', 'catalog', 'openapi', 'wellKnown', 'llms'];
  const probes = await concurrently(names, async (name) => {
    const plain = name === 'catalog' ? catalog : await ask('GET', pathOf(name));
    return [name, await probeDocument(ask, name, plain)] as const;
  });
  return Object.fromEntries(probes) as World['documents'];
}

/** The options of a request with the catalog's example. */
function exampleRequest(entry: Entry): AskOptions {
  if (entry.httpMethod === 'GET') return {};
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(entry.inputExample ?? {}) };
}

async function probeRoute(ask: Ask, entry: Entry, entries: readonly Entry[]): Promise<RouteProbe> {
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

/** Reads the catalog, which the checks compare everything with. */
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

const isComplete = (entry: unknown): entry is Entry =>
  entrySchemas(below(entry, 'accessMode')).every((schema) => mismatch(schema, entry) === undefined);

async function probeProviders(ask: Ask, catalog: unknown): Promise<ProviderList[]> {
  const providers = listAt(catalog, 'categories', 'providers')
    .slice(0, MAX_ROUTES)
    .filter((provider) => textAt(provider, 'href')[0] === '/');
  return concurrently(providers, async (provider) => {
    const answer = await ask('GET', textAt(provider, 'href'));
    return { id: textAt(provider, 'id'), routeCount: below(provider, 'routeCount'), answer };
  });
}

/** Reads the public keys of receipts, if OpenAPI lists them. */
async function probeDidDocument(ask: Ask, openApi: unknown): Promise<Pick<World, 'didDocument'>> {
  const [row] = receiptRoutes;
  if (!row || below(openApi, 'paths', row.path) === undefined) return {};
  const plain = await ask('GET', row.path);
  return { didDocument: { plain, json: parsed(plain.body) } };
}

/** Sends all requests that the checks need. */
export async function explore(origin: string, askOnce: Ask): Promise<World> {
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
    entries,
    leftOut: Math.max(0, listed.length - MAX_ROUTES),
    documents,
    ...(await probeDidDocument(ask, documents.openapi.json)),
    providers: await probeProviders(ask, catalog),
    routes: await concurrently(entries, (entry) => probeRoute(ask, entry, entries)),
    officialPreflight: first && (await preflight(ask, bareTarget(first), first.httpMethod, SENT_BY_MISTAKE)),
    strays: {
      unknownPath: await ask('GET', UNKNOWN_PATH),
      unknownPreflight: await preflight(ask, UNKNOWN_PATH, 'GET', 'content-type'),
      malformedPath: await ask('GET', MALFORMED_PATH),
      unknownProvider: await ask('GET', `${pathOf('catalog')}?provider=nobody`),
    },
    answers,
  };
}
