import { nextStepOf } from '@asset-gateway/protocol';
import type { Session } from '../session.ts';
import type { Schema } from './fields.ts';

/** A part of the OpenAPI document. */
type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_REFERENCES = 10;

/** The node that a node refers to, or the node itself. */
function resolved(document: Node, node: unknown): Node {
  let found = node;
  for (let step = 0; step < MAX_REFERENCES && isNode(found) && typeof found.$ref === 'string'; step++)
    found = found.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, name) => (isNode(at) ? at[name] : undefined), document);
  return isNode(found) ? found : {};
}

const below = (document: Node, node: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((at, name) => resolved(document, at)[name], node);

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

let loading: Promise<Node> | undefined;

/** Loads the OpenAPI document once; after a failure the next call loads it again. */
function documentOf({ client }: Session): Promise<Node> {
  loading ??= client.system.openapi().then((document) => document);
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
  const responses = resolved(
    document,
    below(document, document, 'paths', template, httpMethod.toLowerCase(), 'responses'),
  );
  const success = below(document, responses['200'], 'content', 'application/json');
  const { example, schema } = resolved(document, success);
  const refusals = Object.keys(responses).filter((status) => status >= '400');
  return {
    example: example === undefined ? undefined : JSON.stringify(example),
    schema: isNode(schema) ? schema : {},
    errors: refusals.map((status) => [status, errorsIn(below(document, responses[status], 'description'))]),
    resolve: (each) => resolved(document, each),
  };
}
