import { below, isObject, listAt, type Members, objectAt, textAt } from '@asset-gateway/protocol';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { challengeIn, extensionIn } from '../reading.ts';
import { deadReferences, misfit } from '../schema.ts';
import { type Entry, endpointOf, type World } from '../world.ts';

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];

/** An operation of an OpenAPI document. */
interface Operation {
  /** As in the catalog: `GET /assets/:assetId`. */
  readonly endpoint: string;
  readonly operation: Members;
}

/** Every operation of an OpenAPI document. */
export const operationsIn = (openApi: unknown): Operation[] =>
  Object.entries(objectAt(openApi, 'paths')).flatMap(([path, item]) =>
    VERBS.filter((verb) => isObject(below(item, verb))).map((verb) => ({
      endpoint: `${verb.toUpperCase()} ${path.replace(/\{(\w{1,64})\}/g, ':$1')}`,
      operation: objectAt(item, verb),
    })),
  );

/** The operations of an OpenAPI document by endpoint. */
export const operationsByEndpoint = (openApi: unknown): ReadonlyMap<string, Members> =>
  new Map(operationsIn(openApi).map(({ endpoint, operation }) => [endpoint, operation]));

function headFaults(openApi: unknown, { origin, documents }: World): Fault[] {
  const where = whereOf(documents.openapi.plain);
  const servers = listAt(openApi, 'servers').map((server) => textAt(server, 'url'));
  const dead = deadReferences(openApi);
  return [
    ...unless(/^3\.1\./.test(textAt(openApi, 'openapi')), {
      where,
      problem: 'it is not OpenAPI 3.1',
      fix: 'Use openapi 3.1.0, whose schemas are JSON Schema',
    }),
    ...unless(
      [textAt(openApi, 'info', 'title'), textAt(openApi, 'info', 'version')].every((text) => text !== ''),
      {
        where,
        problem: 'info has no title or no version',
        fix: 'Add both: indexes need them',
      },
    ),
    ...unless(servers.length === 1 && servers[0]?.replace(/\/$/, '') === origin, {
      where,
      problem: `servers is ${servers.join(', ') || 'missing'}`,
      fix: `Set it to ${origin}`,
    }),
    ...unless(dead.length === 0, {
      where,
      problem: `it has dead references: ${dead.slice(0, 3).join(', ')}`,
      fix: 'Include every referenced component',
    }),
  ];
}

/** Whether an operation needs a signature or a payment. */
const isGated = ({ operation }: Operation): boolean =>
  below(operation, 'responses', '402') !== undefined || below(operation, 'x-payment-info') !== undefined;

/** Whether the security of an operation names a scheme that the document declares. */
function isSecured(operation: Members, openApi: unknown): boolean {
  const declared = objectAt(openApi, 'components', 'securitySchemes');
  const named = listAt(operation, 'security').flatMap((requirement) => Object.keys(Object(requirement)));
  return named.length > 0 && named.every((name) => Object.hasOwn(declared, name));
}

/** Why indexes cannot list an operation like the catalog does. */
function listingFault(operation: Members, accessMode: string, openApi: unknown): Omit<Fault, 'where'> | undefined {
  if (below(operation, 'responses', '402') === undefined) {
    return { problem: 'its operation in OpenAPI does not declare the 402', fix: 'Add a response 402' };
  }
  if (accessMode === 'siwx') {
    return isSecured(operation, openApi)
      ? undefined
      : { problem: 'its operation in OpenAPI declares no sign-in', fix: 'Name a declared security scheme' };
  }
  const protocols = listAt(operation, 'x-payment-info', 'protocols');
  const isX402 = protocols.some((protocol) => protocol === 'x402' || below(protocol, 'x402') !== undefined);
  return isX402 && below(operation, 'x-payment-info', 'price') !== undefined
    ? undefined
    : { problem: 'its operation in OpenAPI has no price', fix: 'Add x-payment-info with price and protocols' };
}

function run(world: World): Fault[] {
  const { documents, entries, leftOut, origin } = world;
  const openApi = documents.openapi.json;
  if (documents.openapi.plain.status !== 200 || openApi === undefined) return [];
  const operations = new Map(operationsIn(openApi).map((found) => [found.endpoint, found]));
  const gated = [...operations.values()].filter(isGated).map(({ endpoint }) => endpoint);
  const [where, listed] = [whereOf(documents.openapi.plain), new Set(entries.map(endpointOf))];
  return [
    ...headFaults(openApi, world),
    ...[...listed]
      .filter((endpoint) => !operations.has(endpoint))
      .map((endpoint) => ({
        where,
        problem: `${endpoint} of the catalog is missing`,
        fix: 'Generate both from one table',
      })),
    ...gated
      .filter((endpoint) => leftOut === 0 && !listed.has(endpoint))
      .map((endpoint) => ({
        where,
        problem: `${endpoint} is not in the catalog`,
        fix: 'Generate both from one table',
      })),
    ...entries.flatMap((entry) => {
      const found = operations.get(endpointOf(entry));
      const fault = found && listingFault(found.operation, entry.accessMode, openApi);
      return fault ? [{ where: `${entry.httpMethod} ${origin}${entry.path}`, ...fault }] : [];
    }),
  ];
}

/** OpenAPI has exactly the catalog's routes, and indexes can list them. */
export const openApiCheck: Check = { name: 'openapi', run };

const BAZAAR = 'bazaar';
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const TEMPLATE = /^\/[a-zA-Z0-9_/:.\-~%]+$/;

type Problem = Omit<Fault, 'where'> | undefined;

const problem = (text: string, fix: string): Problem => ({ problem: text, fix });

/** Why an index would refuse the extension. */
function indexProblem(bazaar: Members, entry: Entry): Problem {
  const input = objectAt(bazaar, 'info', 'input');
  const template = below(bazaar, 'routeTemplate');
  if (textAt(bazaar, 'schema', '$schema') !== DIALECT || deadReferences(bazaar.schema).length > 0) {
    return problem(
      'the schema of the discovery extension is not self-contained',
      `Use ${DIALECT} without outside references`,
    );
  }
  const wrong = misfit(bazaar.schema, bazaar.info);
  if (wrong !== undefined) {
    return problem(`the discovery extension does not match its own schema: ${wrong}`, 'Use a valid example');
  }
  if (input.type !== 'http' || input.method !== entry.httpMethod) {
    return problem('the discovery extension names another verb', `Set type http and method ${entry.httpMethod}`);
  }
  if (entry.httpMethod === 'POST' && (input.bodyType !== 'json' || input.body === undefined)) {
    return problem('the discovery extension of a POST has no JSON body', 'Add bodyType json and an example body');
  }
  const isTemplated = entry.path.includes(':') ? template === entry.path : template === undefined;
  return isTemplated && (template === undefined || TEMPLATE.test(String(template)))
    ? undefined
    : problem("routeTemplate is not the catalog's path", 'Set it only for paths with parameters');
}

/** Why the catalog's schemas refuse the extension's example. */
function requestProblem(bazaar: Members, entry: Entry): Problem {
  const input = objectAt(bazaar, 'info', 'input');
  const places = [
    [entry.httpMethod === 'POST' ? input.body : (input.queryParams ?? {}), entry.inputSchema],
    [input.pathParams, entry.pathParamsSchema],
    [input.queryParams ?? {}, entry.queryParamsSchema],
  ] as const;
  const wrong = places.flatMap(([value, schema]) => (schema ? (misfit(schema, value) ?? []) : []));
  return wrong.length === 0
    ? undefined
    : problem(
        `the catalog's schema refuses the example of the discovery extension: ${wrong[0]}`,
        'Use a valid example',
      );
}

function discoveryFaults(entry: Entry, answer: Answer | undefined): Fault[] {
  const challenge = answer && challengeIn(answer);
  if (!answer || !challenge) return [];
  const bazaar = extensionIn(challenge, BAZAAR);
  const fault =
    Object.keys(bazaar).length === 0
      ? problem('indexes skip it because its 402 does not describe the call', `Add the extension ${BAZAAR}`)
      : (indexProblem(bazaar, entry) ?? requestProblem(bazaar, entry));
  return fault ? [{ where: whereOf(answer), ...fault }] : [];
}

/** Indexes can list each route from its bare 402. */
export const discoveryCheck: Check = {
  name: 'discovery',
  run: ({ routes }) => routes.flatMap(({ entry, unpaid: [bare] }) => discoveryFaults(entry, bare)),
};
