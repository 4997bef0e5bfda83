import Type, { type TProperties } from 'typebox';
import { oneOf, optional } from '../parameters.ts';
import {
  ANYTHING,
  type ResultShape,
  type Route,
  type RowOptions,
  schemasOf,
  unchanged,
  verbAndPath,
} from '../route.ts';

/** The values of the catalog's provider filter. */
export const CATALOG_PROVIDERS = ['alchemy', 'helius', 'tokens'] as const;

/** For how long anybody may keep a document that describes the service. */
const DOCUMENT_SECONDS = 60;

function row(method: string, endpoint: string, description: string, options: RowOptions = {}): Route {
  return {
    id: `system.${method}`,
    provider: 'gateway',
    surface: 'system',
    method,
    ...verbAndPath(endpoint),
    access: 'public',
    description,
    input: schemasOf(options),
    rules: [],
    codes: options.codes ?? {},
    example: options.example ?? {},
    result: options.result ?? ANYTHING,
    ...(options.maxAgeSeconds !== undefined && { maxAgeSeconds: options.maxAgeSeconds }),
    upstream: { path: '', forward: unchanged },
  };
}

const documentRow = (method: string, endpoint: string, description: string, options: RowOptions): Route =>
  row(method, endpoint, description, { ...options, maxAgeSeconds: DOCUMENT_SECONDS });

const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const schema = (description: string) => Type.Unsafe<object>({ type: 'object', description });
/** An object that holds these members, and may hold more. */
const open = (properties: TProperties, description: string) => Type.Object(properties, { description });

const liveness: ResultShape = {
  schema: Type.Object(
    { ok: Type.Literal(true), service: text('The name of the service.'), status: Type.Literal('healthy') },
    { additionalProperties: false },
  ),
  example: { ok: true, service: 'asset-gateway', status: 'healthy' },
};

const catalogEntry = open(
  {
    path: text('Path, with :name for what stands for a value.'),
    httpMethod: oneOf(['GET', 'POST'], 'The verb.'),
    cluster: optional(oneOf(['mainnet', 'devnet'], 'The cluster that is asked and paid on.')),
    provider: oneOf(CATALOG_PROVIDERS, 'Who answers.'),
    surface: oneOf(['tokens', 'rpc', 'das', 'wallet'], 'The family of routes.'),
    method: text("The envelope's method."),
    description: text('What it answers.'),
    accessMode: oneOf(['siwx', 'exact'], "A wallet's signature, or a payment."),
    paymentRequired: Type.Boolean(),
    priceUsd: text('Dollars a call.'),
    authNetworks: optional(Type.Array(text('CAIP-2.'), { description: 'What a sign-in may name.' })),
    paymentNetwork: optional(text('CAIP-2.')),
    paymentAsset: optional(
      open({ symbol: text('USDC.'), mint: text('Its mint.'), decimals: count('Its decimals.') }, 'What is paid with.'),
    ),
    enabled: Type.Literal(true),
    inputSchema: schema('What validates the query, or the body of a POST.'),
    inputExample: optional(schema('An input that is valid.')),
    outputSchema: schema('The body of a success.'),
    pathParamsSchema: optional(schema('What validates the values in the path.')),
    pathParamsExample: optional(schema('Values that are valid.')),
    rules: optional(Type.Array(schema('A rule over several parameters.'))),
  },
  'A route.',
);

const catalog: ResultShape = {
  schema: open(
    {
      ok: Type.Literal(true),
      version: Type.Literal(1),
      payment: optional(schema('Networks and mints, where anything is sold.')),
      catalog: open(
        {
          totalRoutes: count('How many routes there are.'),
          returnedRoutes: count('How many of them are listed here.'),
          filters: schema('The filter that was asked for.'),
        },
        'What is listed.',
      ),
      categories: schema('The providers, and where each one is listed alone.'),
      routes: Type.Array(catalogEntry),
    },
    'The catalog.',
  ),
  example: null,
};

const resources: ResultShape = {
  schema: open(
    {
      version: Type.Literal(1),
      resources: Type.Array(text('The URL of a route, with the values of its example in the path.')),
    },
    'What x402 opens here.',
  ),
  example: null,
};

/** The routes that the gateway answers by itself, for everybody. */
export const systemRoutes: readonly Route[] = [
  row('liveness', 'GET /healthz', 'Liveness probe.', { result: liveness }),
  documentRow('catalog', 'GET /v1/catalog', 'Every enabled route, its access mode and its price.', {
    query: { provider: optional(oneOf(CATALOG_PROVIDERS, 'Only the routes of one provider.')) },
    codes: { provider: 'invalid_provider_filter' },
    example: { query: { provider: 'tokens' } },
    result: catalog,
  }),
  documentRow('openapi', 'GET /openapi.json', 'Every enabled route as OpenAPI 3.1.', {
    result: { schema: schema('An OpenAPI document.'), example: null },
  }),
  documentRow('wellKnown', 'GET /.well-known/x402', 'The URLs that x402 opens here.', { result: resources }),
  documentRow('llms', 'GET /llms.txt', 'What is served and how to call it, as text for language models.', {
    result: { schema: text('Markdown.'), example: null, mediaType: 'text/plain; charset=utf-8' },
  }),
];
