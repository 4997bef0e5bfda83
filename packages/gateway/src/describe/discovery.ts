import { JSON_MEDIA_TYPE, type Resource, type Route, type Values } from '@asset-gateway/protocol';
import { compileBrief } from '../stages/schema.ts';
import {
  answerExample,
  type JsonSchema,
  published,
  withoutBounds,
  withoutDescriptions,
  withSharedParts,
} from './schemas.ts';
import type { Service } from './service.ts';

/** The key of the discovery extension in a PaymentRequired object. */
export const BAZAAR_EXTENSION = 'bazaar';

/** x402's discovery extension: a route's example call and its schema. */
export interface Discovery {
  readonly info: { readonly input: JsonSchema; readonly output?: JsonSchema };
  readonly schema: JsonSchema;
  /** The route's path with `:name` for parameters; undefined without parameters. */
  readonly routeTemplate?: string;
}

/** A challenge's description of its route. */
interface Description {
  readonly resource: Omit<Resource, 'url'>;
  /** The discovery in decreasing sizes. A challenge uses the first that fits. */
  readonly discoveries: readonly Discovery[];
}

/** Describes one route for a request with these path parameters. */
export type Describe = (pathParams: Values) => Description;

/** The bytes in 4,096 characters of base64. A challenge is not longer. */
export const MAX_CHALLENGE_BYTES = 3072;
const SERVICE_NAME = /^[\x20-\x7e]{1,32}$/;
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Returns a place's schema. Its description states the rules over several parameters. */
function withRules(route: Route, place: 'query' | 'body'): JsonSchema | undefined {
  const schema = route.input[place];
  const rules = route.rules.filter((rule) => rule.in === place).map(({ description }) => description);
  if (!schema) return undefined;
  return rules.length > 0 ? { ...published(schema), description: rules.join(' ') } : published(schema);
}

function inputOf(route: Route): { info: JsonSchema; properties: JsonSchema; required: readonly string[] } {
  const { example, httpMethod, input } = route;
  const query = withRules(route, 'query');
  const body = withRules(route, 'body');
  return {
    info: {
      type: 'http',
      ...(body && { bodyType: 'json', body: example.body }),
      ...(query && { queryParams: example.query ?? {} }),
      ...(input.path && { pathParams: example.path }),
      method: httpMethod,
    },
    properties: {
      type: { type: 'string', const: 'http' },
      method: { type: 'string', enum: [httpMethod] },
      ...(body && { bodyType: { type: 'string', enum: ['json'] }, body }),
      ...(query && { queryParams: query }),
      ...(input.path && { pathParams: published(input.path) }),
    },
    required: body ? ['type', 'method', 'bodyType', 'body'] : ['type', 'method'],
  };
}

const OUTPUT: JsonSchema = {
  type: 'object',
  properties: { type: { type: 'string' }, example: { type: 'object' } },
  required: ['type'],
};

function discoveryOf(route: Route, output: unknown): Discovery {
  const { info, properties, required } = inputOf(route);
  const input = { type: 'object', properties, required, additionalProperties: false };
  return {
    info: { input: info, ...(output !== undefined && { output: { type: 'json', example: output } }) },
    schema: {
      $schema: DIALECT,
      type: 'object',
      properties: { input, ...(output !== undefined && { output: OUTPUT }) },
      required: ['input'],
    },
    ...(route.input.path && { routeTemplate: route.path }),
  };
}

/**
 * Returns the discovery in decreasing sizes: with the output's example, without it, without prose, with repeated parts shared, and for
 * credit also without bounds.
 */
function discoveriesOf(route: Route, priceUsd: string): Discovery[] {
  const output = answerExample(route, priceUsd);
  const plain = discoveryOf(route, undefined);
  const terse = { ...plain, schema: withoutDescriptions(plain.schema) };
  const tersest = { ...terse, schema: withSharedParts(terse.schema) };
  // Credit adds a second requirement, so the discovery must be smaller.
  const loose = { ...plain, schema: withSharedParts(withoutBounds(terse.schema)) };
  const last = route.credit === undefined ? [] : [loose];
  const all = [...(output === undefined ? [] : [discoveryOf(route, output)]), plain, terse, tersest, ...last];
  // A challenge writes each that might fit.
  return all.filter(({ schema }) => JSON.stringify(schema).length < MAX_CHALLENGE_BYTES);
}

function resourceOf({ description, surface, result }: Route, serviceName: string): Description['resource'] {
  return {
    description,
    mimeType: result.mediaType ?? JSON_MEDIA_TYPE,
    ...(SERVICE_NAME.test(serviceName) && { serviceName }),
    tags: ['solana', surface],
  };
}

/** Makes a check of a route's path parameters. */
function pathCheck({ input, rules }: Route): (values: Values) => boolean {
  const fits = input.path && compileBrief(input.path);
  const ofPath = rules.filter((rule) => rule.in === 'path');
  return (values) => fits?.(values) === true && ofPath.every((rule) => rule.holds(values));
}

/** Describes a route for its challenges. The first call prepares the description, so that a start is faster. */
export function createDescribe(route: Route, { name, priceUsd }: Pick<Service, 'name' | 'priceUsd'>): Describe {
  const prepare = () => ({
    resource: resourceOf(route, name),
    discoveries: discoveriesOf(route, priceUsd(route)),
    isAllowed: pathCheck(route),
  });
  let made: ReturnType<typeof prepare> | undefined;
  return (pathParams) => {
    made ??= prepare();
    const { resource, discoveries, isAllowed } = made;
    // Invalid values would make a wrong example, so use the row's own.
    if (!isAllowed(pathParams)) return { resource, discoveries };
    const withPathParams = ({ info, ...rest }: Discovery) => ({
      info: { ...info, input: { ...info.input, pathParams } },
      ...rest,
    });
    return { resource, discoveries: discoveries.map(withPathParams) };
  };
}
