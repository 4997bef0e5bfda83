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
import { exampleOf, jsonInit } from '../http/targets.ts';
import { challengeIn, discoveryIn } from './everything.ts';
import { faultsOf as faultsOfAnswer, type OpenApiDocument, type Operation, operationOf } from './openapi-document.ts';

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

/** The request that a crawler builds from a challenge; tests/client/paying.test.ts shows that its example is answered. */
function requestOf(path: string, discovery: Discovery | undefined) {
  const { method, pathParams, queryParams, body } = (discovery?.info.input ?? {}) as Readonly<Record<string, Values>>;
  const filled = (discovery?.routeTemplate ?? path).replace(/(?<=\/):(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(pathParams?.[name])),
  );
  const query = queryOf(queryParams);
  const init = body ? jsonInit(body, String(method)) : { method, headers: {} };
  return { target: `${filled}${query && `?${query}`}`, init };
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
  const payload = { ...required, accepted: required.accepts[0], payload: {} } as PaymentPayload;
  const found = extractDiscoveryInfo(payload, payload.accepted);
  expect(found).toMatchObject({ resourceUrl: `${url}${route.path}`, tags: ['solana', route.surface] });
}

/** As JSON; undefined stays. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
const rulesOf = ({ rules }: Route) =>
  rules.length > 0 ? rules.map(({ holds: _, choice: __, ...rule }) => rule) : undefined;
const NOTHING = { type: 'object', properties: {}, additionalProperties: false };

/** Expects that a catalog entry says the same about a row as the table. */
export function expectEntry(entry: Values, row: Route): void {
  const { access, description, input, example } = row;
  const isPost = row.httpMethod !== 'GET';
  const query = isPost ? input.query : undefined;
  const expected = {
    accessMode: access,
    description,
    inputSchema: (isPost ? input.body : input.query) ?? NOTHING,
    inputExample: isPost ? example.body : example.query,
    queryParamsSchema: query,
    queryParamsExample: query && (example.query ?? {}),
    pathParamsSchema: input.path,
    pathParamsExample: input.path && example.path,
    rules: rulesOf(row),
  };
  for (const [name, value] of Object.entries(expected)) expect([name, entry[name]]).toEqual([name, plain(value)]);
}

/** OpenAPI closes tuples, which tests/discovery/generators.full.test.ts checks. */
const withOpenTuples = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (_, value) => (value?.prefixItems ? { ...value, items: undefined } : value));

/** Expects that an operation of the OpenAPI document says the same about a row as the table. */
export function expectOperation(operation: Operation, row: Route): void {
  const { access, description, input, example } = row;
  const parameters = (['path', 'query'] as const).flatMap((place) => {
    const { properties = {}, required = [] } = (input[place] ?? {}) as JsonSchema;
    return Object.entries(properties).map(([name, { description: meaning, ...schema }]) => {
      const isRequired = required.includes(name);
      return { name, in: place, required: isRequired, description: meaning, schema, example: example[place]?.[name] };
    });
  });
  const shown = operation.parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query');
  expect(shown.map(({ style: _, explode: __, ...rest }) => rest)).toEqual(plain(parameters));
  const media = operation.requestBody?.content['application/json'];
  expect(media && withOpenTuples(media.schema)).toEqual(input.body && withOpenTuples(input.body));
  expect(media?.example).toEqual(plain(example.body));
  expect([operation.summary, operation['x-rules']]).toEqual([description, plain(rulesOf(row))]);
  for (const rule of row.rules) expect(operation.description).toContain(rule.description);
  const isFree = access === 'siwx';
  expect([operation.security.length > 0, operation['x-payment-info'] === undefined]).toEqual([isFree, isFree]);
}
