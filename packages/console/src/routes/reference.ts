import { below, type Members, nextStepOf, objectAt } from '@asset-gateway/protocol';
import type { Session } from '../session.ts';
import type { Schema } from './fields.ts';

const MAX_REFERENCES = 10;

/** The node of the OpenAPI document that a node refers to, or the node itself. */
function resolved(document: unknown, node: unknown): Members {
  let found = objectAt(node);
  for (let step = 0; step < MAX_REFERENCES && typeof found.$ref === 'string'; step++)
    found = objectAt(below(document, ...found.$ref.split('/').slice(1)));
  return found;
}

/** The value at a path of names in a node, through references. */
const valueAt = (document: unknown, node: unknown, ...names: readonly string[]): unknown =>
  names.reduce((at, name) => resolved(document, at)[name], node);

/** An error that a route can return. */
export interface RouteError {
  readonly code: string;
  /** What it means and what to do. */
  readonly message: string;
}

/** What a route answers. */
export interface RouteReference {
  /** A success as JSON text, if the document has an example. */
  readonly example: string | undefined;
  readonly schema: Schema;
  /** By status. */
  readonly errors: readonly (readonly [status: string, errors: readonly RouteError[]])[];
  /** Resolves a reference in the schema. */
  resolve(schema: Schema): Schema;
}

const ERROR = /^- `(\w+)`: (.*)$/gm;

/** The errors of a status; on paid routes, those of a payment come before those of a sign-in. */
const errorsIn = (description: unknown): RouteError[] =>
  [...String(description).matchAll(ERROR)]
    .map(([, code = '', message = '']) => ({ code, message }))
    .sort((a, b) => Number(nextStepOf(b.code) === 'Pay') - Number(nextStepOf(a.code) === 'Pay'));

let loading: Promise<unknown> | undefined;

/** Loads the OpenAPI document once; after a failure the next call loads it again. */
function documentOf({ client }: Session): Promise<unknown> {
  loading ??= client.system.openapi();
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

/** The response and the errors of a route, from the gateway's OpenAPI document. */
export async function referenceOf(
  session: Session,
  { path, httpMethod }: { readonly path: string; readonly httpMethod: string },
): Promise<RouteReference> {
  const document = await documentOf(session);
  const template = path.replace(/:(\w+)/g, '{$1}');
  const names = ['paths', template, httpMethod.toLowerCase(), 'responses'];
  const responses = resolved(document, valueAt(document, document, ...names));
  const success = valueAt(document, responses['200'], 'content', 'application/json');
  const { example, schema } = resolved(document, success);
  const refusals = Object.keys(responses).filter((status) => status >= '400');
  return {
    example: example === undefined ? undefined : JSON.stringify(example),
    schema: objectAt(schema),
    errors: refusals.map((status) => [status, errorsIn(valueAt(document, responses[status], 'description'))]),
    resolve: (each) => resolved(document, each),
  };
}
