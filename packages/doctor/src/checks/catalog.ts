import { isDeepStrictEqual } from 'node:util';
import { below, isObject, listAt, type Members, objectAt, textAt } from '@asset-gateway/protocol';
import { MAX_ROUTES } from '../explore.ts';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import { parsed } from '../reading.ts';
import { misfit, mismatch } from '../schema.ts';
import { type Entry, endpointOf, entrySchemas, type ProviderList, type World } from '../world.ts';
import { operationsIn } from './openapi.ts';

function entryFaults(entry: unknown, origin: string): Fault[] {
  const where = `${textAt(entry, 'httpMethod') || 'GET'} ${origin}${textAt(entry, 'path')}`;
  const mode = below(entry, 'accessMode');
  const wrong = entrySchemas(mode).flatMap((schema) => mismatch(schema, entry) ?? []);
  if (wrong.length > 0) {
    const problem = `its catalog entry is incomplete: ${wrong[0]}`;
    return [{ where, problem, fix: 'List the path, verb, access mode, price, schemas and networks' }];
  }
  return unless(below(entry, 'paymentRequired') === (mode === 'exact'), {
    where,
    problem: `the catalog says accessMode ${mode} and paymentRequired ${below(entry, 'paymentRequired')}`,
    fix: 'Set paymentRequired to true for exact only',
  });
}

/** Checks that a provider's list is its part of the catalog. */
function providerFaults({ id, routeCount, answer }: ProviderList, { entries }: World): Fault[] {
  if (answer.status === 0) return [];
  const own = entries.filter(({ provider }) => provider === id).map(endpointOf);
  const listed = listAt(parsed(answer.body), 'routes').filter(isObject);
  const endpoints = listed.map((entry) => `${entry.httpMethod} ${entry.path}`);
  return unless(isDeepStrictEqual(endpoints, own) && routeCount === own.length, {
    where: whereOf(answer),
    problem: `it lists ${endpoints.length} routes of ${id}, its category counts ${routeCount}, and the catalog has ${own.length}`,
    fix: 'List exactly the routes of the provider',
  });
}

function run(world: World): Fault[] {
  const { origin } = world;
  const { plain, json: catalog } = world.documents.catalog;
  const where = whereOf(plain);
  const routes = listAt(catalog, 'routes');
  const counts = [below(catalog, 'catalog', 'totalRoutes'), below(catalog, 'catalog', 'returnedRoutes')];
  const endpoints = world.entries.map(endpointOf);
  const isWhole = world.leftOut === 0;
  return [
    ...unless(counts.every((count) => count === routes.length) && routes.length > 0, {
      where,
      problem: `it has ${routes.length} routes and counts ${counts.join(' and ')}`,
      fix: 'Correct totalRoutes and returnedRoutes',
    }),
    ...unless(new Set(endpoints).size === endpoints.length, {
      where,
      problem: 'it lists a route twice',
      fix: 'List each verb and path once',
    }),
    ...routes.slice(0, MAX_ROUTES).flatMap((entry) => entryFaults(entry, origin)),
    ...(isWhole ? world.providers.flatMap((list) => providerFaults(list, world)) : []),
  ];
}

/** The catalog is complete and consistent. */
export const catalogCheck: Check = { name: 'catalog', run };

/** A named example with its schema. */
type Example = readonly [name: string, schema: unknown, value: unknown];

function examplesOf(entry: Entry): Example[] {
  const { inputSchema, inputExample, pathParamsSchema, pathParamsExample, queryParamsSchema, queryParamsExample } =
    entry;
  return [
    ['inputExample', inputSchema, inputExample ?? {}],
    ...(pathParamsSchema ? [['pathParamsExample', pathParamsSchema, pathParamsExample] as const] : []),
    ...(queryParamsSchema ? [['queryParamsExample', queryParamsSchema, queryParamsExample ?? {}] as const] : []),
  ];
}

function examplesIn(operation: Members): Example[] {
  const parameters = listAt(operation, 'parameters').map(
    (parameter) => [textAt(parameter, 'name'), below(parameter, 'schema'), below(parameter, 'example')] as const,
  );
  const bodies = { ...objectAt(operation, 'responses'), request: below(operation, 'requestBody') };
  const media = Object.entries(bodies).flatMap(([name, body]) =>
    Object.values(objectAt(body, 'content')).map(
      (type) => [name, below(type, 'schema'), below(type, 'example')] as const,
    ),
  );
  return [...parameters, ...media].filter(([, schema, value]) => schema !== undefined && value !== undefined);
}

const faultsOf = (examples: readonly Example[], where: string, document: string): Fault[] =>
  examples.flatMap(([name, schema, value]) => {
    const wrong = misfit(schema, value);
    const problem = `${document}'s example (${name}) does not match its own schema: ${wrong}`;
    return wrong === undefined ? [] : [{ where, problem, fix: 'Use a valid example' }];
  });

function wrongExamples({ entries, origin, documents }: World): Fault[] {
  const openApi = documents.openapi.json;
  const components = below(openApi, 'components');
  // An operation's schemas refer to the document's components.
  const withComponents = ([name, schema, value]: Example): Example => [name, { ...Object(schema), components }, value];
  return [
    ...entries.flatMap((entry) =>
      faultsOf(examplesOf(entry), `${entry.httpMethod} ${origin}${entry.path}`, 'the catalog'),
    ),
    ...operationsIn(openApi).flatMap(({ endpoint, operation }) => {
      const [verb, path] = endpoint.split(' ');
      return faultsOf(examplesIn(operation).map(withComponents), `${verb} ${origin}${path}`, 'OpenAPI');
    }),
  ];
}

/** The examples of the catalog and of OpenAPI match their schemas. */
export const examplesCheck: Check = { name: 'examples', run: wrongExamples };
