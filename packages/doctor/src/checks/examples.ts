import type { Entry } from '../entry.ts';
import type { Check, Fault } from '../finding.ts';
import { at, type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import { misfit } from '../schema.ts';
import type { World } from '../world.ts';
import { operationsIn } from './operations.ts';

/** A named example with its schema. */
type Example = readonly [name: string, schema: unknown, value: unknown];

function examplesOf({ inputSchema, inputExample, pathParamsSchema, pathParamsExample }: Entry): Example[] {
  return [
    ['inputExample', inputSchema, inputExample ?? {}],
    ...(pathParamsSchema ? [['pathParamsExample', pathParamsSchema, pathParamsExample] as const] : []),
  ];
}

function examplesIn(operation: JsonObject): Example[] {
  const parameters = listAt(operation, 'parameters').map(
    (parameter) => [textAt(parameter, 'name'), at(parameter, 'schema'), at(parameter, 'example')] as const,
  );
  const bodies = { ...objectAt(operation, 'responses'), request: at(operation, 'requestBody') };
  const media = Object.entries(bodies).flatMap(([name, body]) =>
    Object.values(objectAt(body, 'content')).map((type) => [name, at(type, 'schema'), at(type, 'example')] as const),
  );
  return [...parameters, ...media].filter(([, schema, value]) => schema !== undefined && value !== undefined);
}

const faultsOf = (examples: readonly Example[], where: string, document: string): Fault[] =>
  examples.flatMap(([name, schema, value]) => {
    const wrong = misfit(schema, value);
    const problem = `${document}'s example (${name}) does not match its own schema: ${wrong}`;
    return wrong === undefined ? [] : [{ where, problem, fix: 'Use a valid example' }];
  });

function run({ entries, origin, documents }: World): Fault[] {
  const openApi = documents.openapi.json;
  const components = at(openApi, 'components');
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
export const examplesCheck: Check = { name: 'examples', run };
