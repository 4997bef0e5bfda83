import { isDeepStrictEqual } from 'node:util';
import { below, isObject, listAt, type Members, objectAt, textAt } from '@asset-gateway/protocol';
import { type CatalogEntry, endpointOf, entrySchemas } from '../entry.ts';
import { type Exploration, MAX_ROUTES } from '../explore.ts';
import { type Fault, faultsAt, type RequestLine, requestLineOf, unless } from '../finding.ts';
import { parsed } from '../reading.ts';
import { misfit, mismatch } from '../schema.ts';
import { operationsIn } from './openapi.ts';

function entryFaults(entry: unknown, origin: string): Fault[] {
  const place = requestLineOf(
    { httpMethod: textAt(entry, 'httpMethod') || 'GET', path: textAt(entry, 'path') },
    origin,
  );
  const [mode, isPaid] = [below(entry, 'accessMode'), below(entry, 'paymentRequired')];
  const [wrong] = entrySchemas(mode).flatMap((schema) => mismatch(schema, entry) ?? []);
  if (wrong !== undefined) {
    const fix = 'List the path, verb, access mode, price, schemas and networks';
    return faultsAt(place, { problem: `its catalog entry is incomplete: ${wrong}`, fix });
  }
  const problem = `the catalog says accessMode ${mode} and paymentRequired ${isPaid}`;
  return faultsAt(
    place,
    unless(isPaid === (mode === 'exact'), { problem, fix: 'Set paymentRequired to true for exact only' }),
  );
}

/** Faults of a provider's list that differs from its part of the catalog. */
function providerFaults(
  { id, routeCount, answer }: Exploration['providers'][number],
  { entries }: Exploration,
): Fault[] {
  if (answer.status === 0) return [];
  const own = entries.filter(({ provider }) => provider === id).map(endpointOf);
  const listed = listAt(parsed(answer.body), 'routes').filter(isObject);
  const endpoints = listed.map((entry) => `${entry.httpMethod} ${entry.path}`);
  const isSame = isDeepStrictEqual(endpoints, own) && routeCount === own.length;
  const problem = `it lists ${endpoints.length} routes of ${id}, its category counts ${routeCount}, and the catalog has ${own.length}`;
  return faultsAt(answer, unless(isSame, { problem, fix: 'List exactly the routes of the provider' }));
}

/** Checks that the catalog is complete and consistent. */
export function catalog(exploration: Exploration): Fault[] {
  const { plain, json } = exploration.documents.catalog;
  const routes = listAt(json, 'routes');
  const counts = [below(json, 'catalog', 'totalRoutes'), below(json, 'catalog', 'returnedRoutes')];
  const endpoints = exploration.entries.map(endpointOf);
  return [
    ...faultsAt(plain, [
      unless(counts.every((count) => count === routes.length) && routes.length > 0, {
        problem: `it has ${routes.length} routes and counts ${counts.join(' and ')}`,
        fix: 'Correct totalRoutes and returnedRoutes',
      }),
      unless(new Set(endpoints).size === endpoints.length, {
        problem: 'it lists a route twice',
        fix: 'List each verb and path once',
      }),
    ]),
    ...routes.slice(0, MAX_ROUTES).flatMap((entry) => entryFaults(entry, exploration.origin)),
    ...(exploration.leftOut === 0 ? exploration.providers.flatMap((list) => providerFaults(list, exploration)) : []),
  ];
}

/** An example, with its name and schema. */
type Example = readonly [name: string, schema: unknown, value: unknown];

function examplesOf(entry: CatalogEntry): Example[] {
  const { inputExample = {}, queryParamsExample = {} } = entry;
  const all: readonly Example[] = [
    ['inputExample', entry.inputSchema, inputExample],
    ['pathParamsExample', entry.pathParamsSchema, entry.pathParamsExample],
    ['queryParamsExample', entry.queryParamsSchema, queryParamsExample],
  ];
  return all.filter(([, schema]) => schema !== undefined);
}

function examplesIn(operation: Members): Example[] {
  const exampleIn = (name: string, of: unknown): Example => [name, below(of, 'schema'), below(of, 'example')];
  const parameters = listAt(operation, 'parameters').map((each) => exampleIn(textAt(each, 'name'), each));
  const bodies = { ...objectAt(operation, 'responses'), request: below(operation, 'requestBody') };
  const media = Object.entries(bodies).flatMap(([name, body]) =>
    Object.values(objectAt(body, 'content')).map((type) => exampleIn(name, type)),
  );
  return [...parameters, ...media].filter(([, schema, value]) => schema !== undefined && value !== undefined);
}

/** Checks that the examples of the catalog and of OpenAPI match their schemas. */
export function examples({ entries, origin, documents }: Exploration): Fault[] {
  const openApi = documents.openapi.json;
  const components = below(openApi, 'components');
  // The schemas of an operation refer to components of the document.
  const withComponents = ([name, schema, value]: Example): Example => [name, { ...Object(schema), components }, value];
  const faultsOf = (place: RequestLine, document: string, found: readonly Example[]): Fault[] =>
    found.flatMap(([name, schema, value]) => {
      const wrong = misfit(schema, value);
      const problem = `${document}'s example (${name}) does not match its own schema: ${wrong}`;
      return faultsAt(place, unless(wrong === undefined, { problem, fix: 'Use a valid example' }));
    });
  return [
    ...entries.flatMap((entry) => faultsOf(requestLineOf(entry, origin), 'the catalog', examplesOf(entry))),
    ...[...operationsIn(openApi)].flatMap(([endpoint, operation]) => {
      const [httpMethod = '', path = ''] = endpoint.split(' ');
      const found = examplesIn(operation).map(withComponents);
      return faultsOf(requestLineOf({ httpMethod, path }, origin), 'OpenAPI', found);
    }),
  ];
}
