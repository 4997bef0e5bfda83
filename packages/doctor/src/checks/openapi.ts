import { below, isObject, listAt, type Members, objectAt, textAt } from '@asset-gateway/protocol';
import { type CatalogEntry, endpointOf } from '../entry.ts';
import type { Exploration } from '../explore.ts';
import { type Fault, faultsAt, type Problem, requestLineOf, unless } from '../finding.ts';
import { challengeIn, extensionIn } from '../reading.ts';
import { deadReferences, misfit } from '../schema.ts';

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];

/** Returns an OpenAPI document's operations by endpoint, written as in the catalog: `GET /assets/:assetId`. */
export const operationsIn = (openApi: unknown): ReadonlyMap<string, Members> =>
  new Map(
    Object.entries(objectAt(openApi, 'paths')).flatMap(([path, item]) =>
      VERBS.filter((verb) => isObject(below(item, verb))).map(
        (verb) => [`${verb.toUpperCase()} ${path.replace(/\{(\w{1,64})\}/g, ':$1')}`, objectAt(item, verb)] as const,
      ),
    ),
  );

function headProblems(openApi: unknown, origin: string): (Problem | undefined)[] {
  const servers = listAt(openApi, 'servers').map((server) => textAt(server, 'url'));
  const dead = deadReferences(openApi);
  return [
    unless(/^3\.1\./.test(textAt(openApi, 'openapi')), {
      problem: 'it is not OpenAPI 3.1',
      fix: 'Use openapi 3.1.0, whose schemas are JSON Schema',
    }),
    unless(textAt(openApi, 'info', 'title') !== '' && textAt(openApi, 'info', 'version') !== '', {
      problem: 'info has no title or no version',
      fix: 'Add both: indexes need them',
    }),
    unless(servers.length === 1 && servers[0]?.replace(/\/$/, '') === origin, {
      problem: `servers is ${servers.join(', ') || 'missing'}`,
      fix: `Set it to ${origin}`,
    }),
    unless(dead.length === 0, {
      problem: `it has dead references: ${dead.slice(0, 3).join(', ')}`,
      fix: 'Include every referenced component',
    }),
  ];
}

/** Whether an operation needs a signature or a payment. */
const isGated = (operation: Members): boolean =>
  below(operation, 'responses', '402') !== undefined || below(operation, 'x-payment-info') !== undefined;

/** Whether an operation's security names a scheme that the document declares. */
function isSecured(operation: Members, openApi: unknown): boolean {
  const declared = objectAt(openApi, 'components', 'securitySchemes');
  const named = listAt(operation, 'security').flatMap((requirement) => Object.keys(Object(requirement)));
  return named.length > 0 && named.every((name) => Object.hasOwn(declared, name));
}

/** Returns why an index cannot list an operation as the catalog does; undefined if it can. */
function listingProblem(operation: Members, accessMode: string, openApi: unknown): Problem | undefined {
  if (below(operation, 'responses', '402') === undefined) {
    return { problem: 'its operation in OpenAPI does not declare the 402', fix: 'Add a response 402' };
  }
  if (accessMode === 'siwx') {
    const problem = 'its operation in OpenAPI declares no sign-in';
    return unless(isSecured(operation, openApi), { problem, fix: 'Name a declared security scheme' });
  }
  const protocols = listAt(operation, 'x-payment-info', 'protocols');
  const isX402 = protocols.some((protocol) => protocol === 'x402' || below(protocol, 'x402') !== undefined);
  return unless(isX402 && below(operation, 'x-payment-info', 'price') !== undefined, {
    problem: 'its operation in OpenAPI has no price',
    fix: 'Add x-payment-info with price and protocols',
  });
}

/** Checks that OpenAPI has the catalog's routes and no others, and that indexes can list them. */
export function openapi({ documents, entries, leftOut, origin }: Exploration): Fault[] {
  const { plain, json } = documents.openapi;
  if (plain.status !== 200 || json === undefined) return [];
  const operations = operationsIn(json);
  const listed = new Set(entries.map(endpointOf));
  const gated = [...operations.keys()].filter((endpoint) => isGated(objectAt(operations.get(endpoint))));
  const fix = 'Generate both from one table';
  return [
    ...faultsAt(plain, [
      ...headProblems(json, origin),
      ...[...listed].map((endpoint) =>
        unless(operations.has(endpoint), { problem: `${endpoint} of the catalog is missing`, fix }),
      ),
      ...gated.map((endpoint) =>
        unless(leftOut > 0 || listed.has(endpoint), { problem: `${endpoint} is not in the catalog`, fix }),
      ),
    ]),
    ...entries.flatMap((entry) => {
      const operation = operations.get(endpointOf(entry));
      return faultsAt(requestLineOf(entry, origin), operation && listingProblem(operation, entry.accessMode, json));
    }),
  ];
}

const BAZAAR = 'bazaar';
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const TEMPLATE = /^\/[a-zA-Z0-9_/:.\-~%]+$/;

/** Returns why an index would refuse the extension. */
function indexProblem(bazaar: Members, { httpMethod, path }: CatalogEntry): Problem | undefined {
  const input = objectAt(bazaar, 'info', 'input');
  const template = below(bazaar, 'routeTemplate');
  if (textAt(bazaar, 'schema', '$schema') !== DIALECT || deadReferences(bazaar.schema).length > 0) {
    const problem = 'the schema of the discovery extension is not self-contained';
    return { problem, fix: `Use ${DIALECT} without outside references` };
  }
  const wrong = misfit(bazaar.schema, bazaar.info);
  if (wrong !== undefined) {
    const problem = `the discovery extension does not match its own schema: ${wrong}`;
    return { problem, fix: 'Use a valid example' };
  }
  if (input.type !== 'http' || input.method !== httpMethod) {
    const problem = 'the discovery extension names another verb';
    return { problem, fix: `Set type http and method ${httpMethod}` };
  }
  if (httpMethod === 'POST' && (input.bodyType !== 'json' || input.body === undefined)) {
    const problem = 'the discovery extension of a POST has no JSON body';
    return { problem, fix: 'Add bodyType json and an example body' };
  }
  const isTemplated = path.includes(':') ? template === path : template === undefined;
  return unless(isTemplated && (template === undefined || TEMPLATE.test(String(template))), {
    problem: "routeTemplate is not the catalog's path",
    fix: 'Set it only for paths with parameters',
  });
}

/** Returns why the extension's example violates the catalog's schemas. */
function requestProblem(bazaar: Members, entry: CatalogEntry): Problem | undefined {
  const input = objectAt(bazaar, 'info', 'input');
  const places = [
    [entry.httpMethod === 'GET' ? (input.queryParams ?? {}) : (input.body ?? {}), entry.inputSchema],
    [input.pathParams, entry.pathParamsSchema],
    [input.queryParams ?? {}, entry.queryParamsSchema],
  ] as const;
  const [wrong] = places.flatMap(([value, schema]) => (schema ? (misfit(schema, value) ?? []) : []));
  const problem = `the catalog's schema refuses the example of the discovery extension: ${wrong}`;
  return unless(wrong === undefined, { problem, fix: 'Use a valid example' });
}

function discoveryProblem(bazaar: Members, entry: CatalogEntry): Problem | undefined {
  if (Object.keys(bazaar).length > 0) return indexProblem(bazaar, entry) ?? requestProblem(bazaar, entry);
  return { problem: 'indexes skip it because its 402 does not describe the call', fix: `Add the extension ${BAZAAR}` };
}

/** Checks that indexes can list each route from its 402 to a bare request. */
export const discovery = ({ routes }: Exploration): Fault[] =>
  routes.flatMap(({ entry, plain }) => {
    const challenge = challengeIn(plain);
    return challenge ? faultsAt(plain, discoveryProblem(extensionIn(challenge, BAZAAR), entry)) : [];
  });
