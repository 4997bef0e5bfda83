import { type Access, HEADERS, JSON_MEDIA_TYPE, priceText, type Route } from '@asset-gateway/protocol';
import type { TObject } from 'typebox';
import shared from './components.json' with { type: 'json' };
import { headerComponents, headersOf, refusalResponses } from './responses.ts';
import {
  answerExample,
  answerSchema,
  type JsonObject,
  type JsonSchema,
  mapSchema,
  published,
  publishedRules,
  written,
} from './schemas.ts';
import {
  aboutSurface,
  bySurface,
  capital,
  givenFor,
  howToPass,
  ownPath,
  pricesOf,
  type Service,
  servedRoutes,
} from './service.ts';

/** Returns a route's operation id: `rpcMainnetHeliusGetBalance` for `rpc.mainnet.helius.getBalance`. */
const operationIdOf = ({ id }: Route): string =>
  id
    .split('.')
    .map((word, index) => (index === 0 ? word : capital(word)))
    .join('');

/** Returns the schema name that a method's rows share. Code generators reserve `…Result` for operations. */
const schemaNameOf = ({ surface, method }: Route, what: 'Request' | 'Answer'): string =>
  capital(surface) + capital(method) + what;

const CREDIT_NOTE =
  "Or pay from credit with a Solana wallet's signature over this path: send `Prefer: credit` to get that challenge.";

/** Returns what a route's gate asks for, and the price. */
function accessNote(route: Route, service: Service): string {
  const { access, cluster, credit } = route;
  const prices = pricesOf(route, service);
  const paid = `Paid in USDC on Solana ${cluster} (x402, scheme exact).`;
  if (credit === 'sold') return `From $${prices.priceUsd}. ${paid}`;
  if (access === 'exact') return `Costs ${priceText(prices, ' a call')}. ${paid}`;
  if (access === 'siwx') return "Free; every request needs a Solana wallet's signature (x402 sign-in-with-x).";
  return 'Public.';
}

function parametersIn(route: Route, place: 'path' | 'query'): JsonObject[] {
  const schema: TObject | undefined = route.input[place];
  const required: readonly string[] = schema?.required ?? [];
  const examples = route.example[place] ?? {};
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = written(property);
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      ...(rest.type === 'array' && { style: 'form', explode: false }),
      schema: rest,
      ...(name in examples && { example: examples[name] }),
    };
  });
}

/**
 * The parameters of a payment. They are header parameters, because tools would ask for the key of a security scheme before the challenge.
 */
const PAYMENT_HEADERS = [HEADERS.payment, HEADERS.version1Payment].map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

function requestBody(route: Route): JsonObject {
  if (!route.input.body) return {};
  const schema = { $ref: `#/components/schemas/${schemaNameOf(route, 'Request')}` };
  const media = { schema, example: route.example.body };
  return { requestBody: { required: true, content: { [JSON_MEDIA_TYPE]: media } } };
}

/** Returns the schema of a success. Its result is a component. */
function successSchema(route: Route): JsonSchema {
  const schema = answerSchema(route);
  if (route.surface === 'system') return schema;
  const result = { $ref: `#/components/schemas/${schemaNameOf(route, 'Answer')}` };
  return { ...schema, properties: { ...(schema.properties as JsonSchema), result } };
}

function successes(route: Route, priceUsd: string): JsonObject {
  const example = answerExample(route, priceUsd);
  const media = { schema: successSchema(route), ...(example !== undefined && { example }) };
  const unchanged = { description: 'Unchanged since the ETag sent.', headers: headersOf(route, 304) };
  return {
    200: {
      description: route.description,
      headers: headersOf(route, 200),
      content: { [route.result.mediaType ?? JSON_MEDIA_TYPE]: media },
    },
    ...(route.maxAgeSeconds !== undefined && { 304: unchanged }),
  };
}

/** Returns one route of a service as an OpenAPI operation. */
export function operation(route: Route, service: Service): JsonObject {
  const priceUsd = service.priceUsd(route);
  const { access, credit, description, rules, surface } = route;
  const parameters = [...parametersIn(route, 'path'), ...parametersIn(route, 'query')];
  const notes = [
    accessNote(route, service),
    ...(credit === 'accepted' ? [CREDIT_NOTE] : []),
    ...rules.map((rule) => rule.description),
  ];
  const refusals = refusalResponses(route, service).map(({ status, name }) => {
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  const paymentInfo = {
    price: { mode: 'fixed', currency: 'USD', amount: priceUsd },
    protocols: [{ x402: {} }],
  };
  return {
    operationId: operationIdOf(route),
    tags: [surface],
    summary: description,
    description: notes.join('\n\n'),
    security: access === 'siwx' ? [{ siwx: [] }] : credit === 'accepted' ? [{}, { siwx: [] }] : [],
    ...(access === 'exact' && { 'x-payment-info': paymentInfo }),
    ...(rules.length > 0 && { 'x-rules': publishedRules(route) }),
    parameters: access === 'exact' ? [...parameters, ...PAYMENT_HEADERS] : parameters,
    ...requestBody(route),
    responses: { ...successes(route, priceUsd), ...Object.fromEntries(refusals) },
  };
}

/** The version in the API's paths. */
const API_VERSION = '1';

/**
 * Returns a schema that repeats the elements of a closed tuple as its `items`. Linters require `items`, and code generators read other
 * `items` as one more element even if maxItems excludes it.
 */
function withItemsOfTuple(schema: JsonSchema): JsonSchema {
  const { prefixItems, maxItems } = schema;
  const isClosed = Array.isArray(prefixItems) && prefixItems.length > 1 && prefixItems.length === maxItems;
  return isClosed ? { ...schema, items: { anyOf: prefixItems } } : schema;
}

/** Returns the schemas of requests and answers, which a method's rows share. */
function schemaComponents(service: Service): JsonObject {
  const schemas: Record<string, JsonSchema> = {};
  for (const route of servedRoutes(service)) {
    const { body } = route.input;
    if (body) schemas[schemaNameOf(route, 'Request')] = mapSchema(published(body), withItemsOfTuple);
    schemas[schemaNameOf(route, 'Answer')] = written(route.result.schema);
  }
  const { Error: error } = shared.schemas;
  const withScope = { ...error, properties: { ...error.properties, scope: shared.scope } };
  return { ...schemas, ...shared.schemas, ...(service.hasShares && { Error: withScope }) };
}

function paths(service: Service): JsonObject {
  const items: Record<string, Record<string, JsonObject>> = {};
  for (const route of service.routes) {
    const path = route.path.replace(/\/:(\w+)/g, '/{$1}');
    items[path] = { ...items[path], [route.httpMethod.toLowerCase()]: operation(route, service) };
  }
  return items;
}

/** Returns the components that the operations refer to. */
function components(service: Service): JsonObject {
  const { routes } = service;
  // Routes of a kind have the same headers.
  const headers = new Set(routes.map((route) => headerComponents(route, service)));
  const responses = new Set(routes.map((route) => refusalResponses(route, service)));
  const hasGate = (access: Access) => routes.some((route) => route.access === access);
  return {
    schemas: schemaComponents(service),
    ...(hasGate('exact') && { parameters: shared.parameters }),
    headers: Object.assign({}, ...headers),
    responses: Object.fromEntries([...responses].flat().map(({ name, response }) => [name, response])),
    ...(hasGate('siwx') && { securitySchemes: shared.securitySchemes }),
  };
}

/** Returns the service at its public origin as an OpenAPI 3.1 document. */
export function openApi(service: Service, origin: string): JsonObject {
  const { name, routes } = service;
  const guidance = ['Ask any route.', ...howToPass(routes)].join(' ');
  return {
    openapi: '3.1.0',
    info: {
      title: name,
      version: API_VERSION,
      summary: `Solana data for wallets: ${givenFor(routes)} instead of an account.`,
      description: `${guidance}\n\nEvery GET route answers HEAD, and every route answers OPTIONS with CORS headers.`,
      contact: { name, url: origin },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-guidance': guidance,
    },
    servers: [{ url: origin }],
    externalDocs: { description: 'The same for language models', url: `${origin}${ownPath(service, 'llms')}` },
    tags: [...bySurface(routes).keys()].map((surface) => ({
      name: surface,
      description: aboutSurface(surface, service),
    })),
    paths: paths(service),
    components: components(service),
  };
}
