import type { Access } from '@asset-gateway/protocol';
import { ERROR, PARAMETERS, PAYMENT_REQUIRED, SCOPE, SECURITY_SCHEMES } from './components.ts';
import { headerComponents } from './headers.ts';
import { operation, schemaNameOf } from './operations.ts';
import { refusalComponents, refusalsOf } from './responses.ts';
import { type JsonObject, type JsonSchema, mapSchema, published } from './schemas.ts';
import { ownPath, type Service } from './service.ts';
import { bySurface, givenFor, howToPass, SURFACES } from './surfaces.ts';

/** The version of the API, as it stands in its paths. */
const API_VERSION = '1';

/** Generators take `items` beside prefixItems for one more element, even where maxItems leaves no room for one. */
function withoutMoreItems(schema: JsonSchema): JsonSchema {
  const { items: _, ...rest } = schema;
  return Array.isArray(rest.prefixItems) && rest.prefixItems.length === rest.maxItems ? rest : schema;
}

/** What the rows take and give, once for all rows of one method. */
function schemaComponents({ routes, hasShares }: Service): JsonObject {
  const schemas = routes
    .filter(({ surface }) => surface !== 'system')
    .flatMap((route) => [
      ...(route.input.body
        ? [[schemaNameOf(route, 'Request'), mapSchema(published(route.input.body), withoutMoreItems)] as const]
        : []),
      [schemaNameOf(route, 'Answer'), published(route.result.schema)] as const,
    ]);
  const error = hasShares ? { ...ERROR, properties: { ...Object(ERROR.properties), scope: SCOPE } } : ERROR;
  return { ...Object.fromEntries(schemas), Error: error, PaymentRequired: PAYMENT_REQUIRED };
}

function paths(service: Service): JsonObject {
  const items: Record<string, Record<string, JsonObject>> = {};
  for (const route of service.routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    items[path] = { ...items[path], [route.httpMethod.toLowerCase()]: operation(route, service) };
  }
  return items;
}

const SUCCESSES = [200, 304];

/** Whatever the operations refer to, and nothing else. */
function components(service: Service): JsonObject {
  const { routes } = service;
  const headers = routes.map((route) => headerComponents(route, [...SUCCESSES, ...refusalsOf(route, service).keys()]));
  const hasGate = (access: Access) => routes.some((route) => route.access === access);
  return {
    schemas: schemaComponents(service),
    ...(hasGate('exact') && { parameters: PARAMETERS }),
    headers: Object.fromEntries(headers.flatMap((each) => Object.entries(each))),
    responses: refusalComponents(service),
    ...(hasGate('siwx') && { securitySchemes: SECURITY_SCHEMES }),
  };
}

/** The whole service at its public origin as an OpenAPI 3.1 document. */
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
    tags: [...bySurface(routes).keys()].map((surface) => ({ name: surface, description: SURFACES[surface] })),
    paths: paths(service),
    components: components(service),
  };
}
