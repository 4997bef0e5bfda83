import { isDeepStrictEqual } from 'node:util';
import { endpointOf, entrySchemas } from '../entry.ts';
import { MAX_ROUTES } from '../explore.ts';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import { at, isObject, listAt, parsed, textAt } from '../json.ts';
import { misfit } from '../schema.ts';
import type { ProviderList, World } from '../world.ts';

function entryFaults(entry: unknown, origin: string): Fault[] {
  const where = `${textAt(entry, 'httpMethod') || 'GET'} ${origin}${textAt(entry, 'path')}`;
  const mode = at(entry, 'accessMode');
  const wrong = entrySchemas(mode).flatMap((schema) => misfit(schema, entry) ?? []);
  if (wrong.length > 0) {
    const problem = `its catalog entry is incomplete: ${wrong[0]}`;
    return [{ where, problem, fix: 'List the path, verb, access mode, price, schemas and networks' }];
  }
  return unless(at(entry, 'paymentRequired') === (mode === 'exact'), {
    where,
    problem: `the catalog says accessMode ${mode} and paymentRequired ${at(entry, 'paymentRequired')}`,
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
  const counts = [at(catalog, 'catalog', 'totalRoutes'), at(catalog, 'catalog', 'returnedRoutes')];
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
