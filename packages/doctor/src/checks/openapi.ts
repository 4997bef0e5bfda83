import { endpointOf } from '../entry.ts';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import { at, type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import { deadReferences } from '../schema.ts';
import type { World } from '../world.ts';
import { type Operation, operationsIn } from './operations.ts';

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
  at(operation, 'responses', '402') !== undefined || at(operation, 'x-payment-info') !== undefined;

/** Whether the security of an operation names a scheme that the document declares. */
function isSecured(operation: JsonObject, openApi: unknown): boolean {
  const declared = objectAt(openApi, 'components', 'securitySchemes');
  const named = listAt(operation, 'security').flatMap((requirement) => Object.keys(Object(requirement)));
  return named.length > 0 && named.every((name) => Object.hasOwn(declared, name));
}

/** Why indexes cannot list an operation like the catalog does. */
function listingFault(operation: JsonObject, accessMode: string, openApi: unknown): Omit<Fault, 'where'> | undefined {
  if (at(operation, 'responses', '402') === undefined) {
    return { problem: 'its operation in OpenAPI does not declare the 402', fix: 'Add a response 402' };
  }
  if (accessMode === 'siwx') {
    return isSecured(operation, openApi)
      ? undefined
      : { problem: 'its operation in OpenAPI declares no sign-in', fix: 'Name a declared security scheme' };
  }
  const protocols = listAt(operation, 'x-payment-info', 'protocols');
  const isX402 = protocols.some((protocol) => protocol === 'x402' || at(protocol, 'x402') !== undefined);
  return isX402 && at(operation, 'x-payment-info', 'price') !== undefined
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
