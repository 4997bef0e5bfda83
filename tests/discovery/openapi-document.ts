import { type RefusalCode, type Route, routes } from '@asset-gateway/protocol';
import { faultsOf as faultsOfValue } from '../describe/json-schema.ts';

/** An operation, with every reference replaced by what it refers to. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly 'x-payment-info'?: unknown;
  readonly 'x-rules'?: readonly object[];
  readonly parameters: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

interface Media {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
}

interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, Media>>;
}

/** The whole of a document as it is served. */
export interface OpenApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> };
}

function resolved(node: unknown, document: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => resolved(item, document));
  if (typeof node !== 'object' || node === null) return node;
  const reference: unknown = Reflect.get(node, '$ref');
  if (typeof reference === 'string') {
    const target = reference.split('/').slice(1);
    return resolved(
      target.reduce((parent: unknown, name) => Reflect.get(parent as object, name), document),
      document,
    );
  }
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolved(value, document)]));
}

/** The operation of a row. */
export function operationOf(document: OpenApiDocument, { path, httpMethod }: Route): Operation {
  const item = document.paths[path.replace(/(?<=\/):(\w+)/g, '{$1}')];
  return resolved(item?.[httpMethod.toLowerCase()], document) as Operation;
}

/** The operations of all rows. */
export const operationsOf = (document: OpenApiDocument): (readonly [Route, Operation])[] =>
  routes.map((route) => [route, operationOf(document, route)]);

/** The codes that a response can have, by its schema. */
export function codesOf({ content }: ResponseObject): RefusalCode[] {
  const { allOf = [] } = (content?.['application/json']?.schema ?? {}) as {
    allOf?: readonly { properties?: { error?: { enum?: RefusalCode[] } } }[];
  };
  return allOf.flatMap(({ properties }) => properties?.error?.enum ?? []);
}

/** Where an answer differs from the document. */
export async function faultsOf(operation: Operation, response: Response): Promise<string[]> {
  const documented = operation.responses[response.status];
  if (!documented) return [`status ${response.status} is not in the document`];
  const isAboutResource = (name: string) =>
    !/^(?:access-control-|connection|content-|date|keep-alive|x-content)/.test(name);
  const known = Object.keys(documented.headers).map((name) => name.toLowerCase());
  const sent = [...response.headers.keys()].filter(isAboutResource).filter((name) => name !== 'cache-control');
  const unknown = sent.filter((name) => !known.includes(name)).map((name) => `header ${name} is not in the document`);
  const body = await response.text();
  const media = documented.content?.[response.headers.get('content-type') ?? ''];
  if (!media) return body === '' ? unknown : [...unknown, 'a content type that is not in the document'];
  const value: unknown = response.headers.get('content-type') === 'application/json' ? JSON.parse(body) : body;
  return [...unknown, ...faultsOfValue(media.schema, value)];
}
