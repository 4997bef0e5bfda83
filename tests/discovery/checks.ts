import type { Route, Values } from '@asset-gateway/protocol';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { isPaymentRequired } from '@x402/core/schemas';
import type { PaymentPayload } from '@x402/core/types';
import {
  type DiscoveryExtension,
  extractDiscoveryInfo,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar';
import { expect } from 'vitest';
import type { Discovery } from '../../packages/gateway/src/describe/discovery.ts';
import type { JsonSchema } from '../describe/json-schema.ts';
import { exampleOf } from '../http/targets.ts';
import { challengeIn, discoveryIn } from './everything.ts';
import { faultsOf as faultsOfAnswer, type OpenApiDocument, operationOf } from './openapi-document.ts';

/** Recommended rules, and those about examples, names and references. */
const RULES = {
  'no-invalid-media-type-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'info-contact': 'error',
  'no-required-schema-properties-undefined': 'error',
  'no-unused-components': 'error',
  'operation-description': 'error',
  'operation-operationId-url-safe': 'error',
  'operation-tag-defined': 'error',
  'parameter-description': 'error',
  'tag-description': 'error',
  // The default origin is this machine.
  'no-server-example.com': 'off',
} as const;

/** What a linter finds in an OpenAPI document. */
export async function problemsIn(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const problems = await lintFromString({ source, config, absoluteRef: '/openapi.json' });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

/** The challenge for a route's example, or for another target. */
export async function challengeFrom(url: string, route: Route, target = exampleOf(route).target) {
  const response = await fetch(url + target, exampleOf(route).init);
  expect(response.status).toBe(402);
  const body = (await response.clone().json()) as Record<string, unknown>;
  return { ...challengeIn(response), body, response };
}

/** Faults by the official validators. */
export function faultsOf(extension: unknown): string[] {
  const verdicts = [
    validateDiscoveryExtension(extension as DiscoveryExtension),
    validateDiscoveryExtensionSpec(extension as Record<string, unknown>),
  ];
  return verdicts.flatMap(({ errors = [] }) => errors);
}

const queryOf = (values: Values = {}): string =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString();

/** The request that a crawler builds from a challenge; tests/client/routes.test.ts shows that its example is answered. */
function requestOf(path: string, discovery: Discovery | undefined) {
  const { method, pathParams, queryParams, body } = (discovery?.info.input ?? {}) as Readonly<Record<string, Values>>;
  const filled = (discovery?.routeTemplate ?? path).replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(pathParams?.[name])),
  );
  const query = queryOf(queryParams);
  const json = {
    ...(body && { body: JSON.stringify(body) }),
    headers: body ? { 'Content-Type': 'application/json' } : {},
  };
  return { target: `${filled}${query && `?${query}`}`, init: { method, ...json } };
}

export const MAX_HEADER_LENGTH = 4096;

const decodedExample = (route: Route) => ({ ...exampleOf(route), target: decodeURIComponent(exampleOf(route).target) });

/** A route's challenge describes it in header and body, as the official validators and the OpenAPI document want. */
export async function expectChallenge(url: string, route: Route, document: OpenApiDocument): Promise<void> {
  const { header, required, body, response } = await challengeFrom(url, route);
  expect(await faultsOfAnswer(operationOf(document, route), response)).toEqual([]);
  expect(header.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
  expect(body).toMatchObject(JSON.parse(JSON.stringify(required)));
  expect(required.resource).toMatchObject({ description: route.description, serviceName: 'asset-gateway' });
  const extension = discoveryIn(required);
  expect(faultsOf(extension)).toEqual([]);
  expect(extension?.routeTemplate).toBe(route.input.path && route.path);
  const { target, init } = requestOf(route.path, extension);
  expect({ target: decodeURIComponent(target), init }).toEqual(decodedExample(route));
  if (route.access === 'siwx') return;
  expect(isPaymentRequired(required)).toBe(true);
  const payload = { ...required, accepted: required.accepts[0], payload: {} } as unknown as PaymentPayload;
  const found = extractDiscoveryInfo(payload, payload.accepted);
  expect(found).toMatchObject({ resourceUrl: `${url}${route.path}`, tags: ['solana', route.surface] });
}

export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value ?? null)) as T;
/** OpenAPI closes tuples, which tests/discovery/generators.test.ts checks. */
const withOpenTuples = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (_, value) => (value?.prefixItems ? { ...value, items: undefined } : value));
/** The properties of an object schema, and which of them are required. */
const objectOf = (schema: JsonSchema | undefined) => ({
  properties: schema?.properties ?? {},
  required: schema?.required ?? [],
});

/** A POST without a body takes an object without members. */
const isNothing = ({ properties = {}, additionalProperties }: JsonSchema): boolean =>
  additionalProperties === false && Object.keys(properties).length === 0;

/** What the table says about a route; the documents must say the same. */
export function tableView({ access, description, input, example, rules }: Route) {
  return plain({
    access,
    description,
    path: objectOf(input.path),
    query: objectOf(input.query),
    body: input.body ? withOpenTuples(input.body) : null,
    examples: { path: {}, query: {}, body: {}, ...example },
    rules: rules.map(({ holds: _, choice: __, ...rule }) => rule),
  });
}

export function catalogView(entry: Values) {
  const inBody = entry.httpMethod === 'POST';
  const input = entry.inputSchema as JsonSchema;
  const example = (entry.inputExample ?? {}) as Values;
  return plain({
    access: String(entry.accessMode),
    description: String(entry.description),
    path: objectOf(entry.pathParamsSchema as JsonSchema | undefined),
    query: objectOf(inBody ? (entry.queryParamsSchema as JsonSchema | undefined) : input),
    body: inBody && !isNothing(input) ? withOpenTuples(input) : null,
    examples: {
      path: (entry.pathParamsExample ?? {}) as Values,
      query: inBody ? ((entry.queryParamsExample ?? {}) as Values) : example,
      body: inBody ? example : {},
    },
    rules: (entry.rules ?? []) as object[],
  });
}

export function openApiView(openApi: OpenApiDocument, route: Route) {
  const operation = operationOf(openApi, route);
  const media = operation.requestBody?.content['application/json'];
  const placed = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const schemaOf = (place: string) => ({
    properties: Object.fromEntries(
      placed(place).map(({ name, schema, description }) => [name, { ...(schema as object), description }]),
    ),
    required: placed(place).flatMap(({ name, required }) => (required ? [name] : [])),
  });
  const exampleOf = (place: string) =>
    Object.fromEntries(placed(place).flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])));
  const isFree = operation.security.length > 0;
  expect(operation['x-payment-info'] === undefined).toBe(isFree);
  for (const { description } of route.rules) expect(operation.description).toContain(description);
  return plain({
    access: isFree ? 'siwx' : 'exact',
    description: operation.summary,
    path: schemaOf('path'),
    query: schemaOf('query'),
    body: media ? withOpenTuples(media.schema) : null,
    examples: { path: exampleOf('path'), query: exampleOf('query'), body: (media?.example ?? {}) as Values },
    rules: operation['x-rules'] ?? [],
  });
}
