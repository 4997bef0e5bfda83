import { below, type Members, nextStepOf, objectAt } from '@asset-gateway/protocol';
import { Json } from '../parts/code.tsx';
import { Failure, WithCode } from '../parts/failure.tsx';
import { once, type Reloadable, useReloadable } from '../parts/hooks.ts';
import { TermList } from '../parts/table.tsx';
import { session } from '../session.ts';
import type { CatalogRow } from './catalog.ts';
import type { Schema } from './fields.ts';

const MAX_REFERENCES = 10;

/** The node in the OpenAPI document that a node refers to, or the node itself. */
function resolved(document: unknown, node: unknown): Members {
  let found = objectAt(node);
  for (let step = 0; step < MAX_REFERENCES && typeof found.$ref === 'string'; step++)
    found = objectAt(below(document, ...found.$ref.split('/').slice(1)));
  return found;
}

/** The value at a path of names in a node. Follows references. */
const valueAt = (document: unknown, node: unknown, ...names: readonly string[]): unknown =>
  names.reduce((at, name) => resolved(document, at)[name], node);

/** What a route answers. */
type RouteReference = Awaited<ReturnType<typeof referenceOf>>;

const ERROR = /^- `(\w+)`: (.*)$/gm;

/** The errors of a status. On paid routes, errors of a payment come before those of a sign-in. */
const errorsIn = (description: unknown) =>
  [...String(description).matchAll(ERROR)]
    .map(([, code = '', message = '']) => ({ code, message }))
    .sort((a, b) => Number(nextStepOf(b.code) === 'Pay') - Number(nextStepOf(a.code) === 'Pay'));

/** The gateway's OpenAPI document. */
const documentOf = once(async () => session.client.system.openapi());

/** The response and the errors of a route, from the gateway's OpenAPI document. */
async function referenceOf({ path, httpMethod }: CatalogRow) {
  const document = await documentOf();
  const template = path.replace(/\/:(\w+)/g, '/{$1}');
  const names = ['paths', template, httpMethod.toLowerCase(), 'responses'];
  const responses = resolved(document, valueAt(document, document, ...names));
  const success = valueAt(document, responses['200'], 'content', 'application/json');
  const { example, schema } = resolved(document, success);
  const refusals = Object.keys(responses).filter((status) => status >= '400');
  return {
    /** A success as JSON text, if the document has an example. */
    example: example === undefined ? undefined : JSON.stringify(example),
    schema: objectAt(schema) as Schema,
    errors: refusals.map((status) => [status, errorsIn(valueAt(document, responses[status], 'description'))] as const),
    /** Resolves a reference in the schema. */
    resolve: (each: Schema): Schema => resolved(document, each),
  };
}

type Resolve = RouteReference['resolve'];

/** The alternatives of a schema without null. */
const formsOf = (schema: Schema, resolve: Resolve): readonly Schema[] => {
  const forms = (schema.anyOf ?? [schema]).map(resolve);
  return forms.length > 1 ? forms.filter(({ type }) => type !== 'null') : forms;
};

function formText(schema: Schema, resolve: Resolve): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  if (schema.type === 'array') return schema.items ? `list of ${typeText(schema.items, resolve)}` : 'list';
  return String(schema.type ?? 'any').replaceAll(',', ' or ');
}

/** A schema's type: `number or null`. */
function typeText(schema: Schema, resolve: Resolve): string {
  const forms = (schema.anyOf ?? [schema]).map(resolve);
  return [...new Set(forms.map((form) => formText(form, resolve)))].join(' or ');
}

/** The schema with the members: an object's, its list items', or an alternative's. */
function holderOf(schema: Schema, resolve: Resolve): Schema | undefined {
  for (const form of formsOf(resolve(schema), resolve)) {
    if (form.properties) return form;
    const inner = form.items && holderOf(form.items, resolve);
    if (inner) return inner;
  }
  return undefined;
}

const descriptionOf = (schema: Schema, resolve: Resolve): string | undefined =>
  schema.description ?? formsOf(schema, resolve).find(({ description }) => description)?.description;

/** Deeper members appear only in the example. */
const MAX_DEPTH = 8;
/** Members up to this depth are open at first. */
const OPEN_DEPTH = 1;

function MemberList({ schema, resolve, depth }: { schema: Schema; resolve: Resolve; depth: number }) {
  const { properties = {}, required = [] } = schema;
  return (
    <ul class="members small">
      {Object.entries(properties).map(([name, given]) => {
        const member = resolve(given);
        const holder = depth < MAX_DEPTH ? holderOf(member, resolve) : undefined;
        const description = descriptionOf(member, resolve);
        return (
          <li key={name}>
            <code>{name}</code>{' '}
            <span class="muted">
              {typeText(member, resolve)}
              {required.includes(name) ? '' : ', optional'}
            </span>
            {description && <p>{description}</p>}
            {holder && (
              <details open={depth < OPEN_DEPTH}>
                <summary>Members of {name}</summary>
                <MemberList schema={holder} resolve={resolve} depth={depth + 1} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const Codes = ({ errors }: { readonly errors: ReturnType<typeof errorsIn> }) => (
  <TermList
    class="codes small"
    of={errors.map(({ code, message }) => [code, <WithCode key={code} text={message} />])}
  />
);

/** How many errors of a status the closed list names. */
const MOST_NAMED = 3;

const StatusErrors = ({ of: statuses }: { readonly of: RouteReference['errors'] }) => (
  <>
    {statuses.map(([status, errors]) => (
      <details key={status} class="refusals">
        <summary>
          <span class="badge down">{status}</span>{' '}
          <span class="names">
            <code>
              {errors
                .slice(0, MOST_NAMED)
                .map(({ code }) => code)
                .join(', ')}
            </code>
            {errors.length > MOST_NAMED && ` and ${errors.length - MOST_NAMED} more`}
          </span>
        </summary>
        <Codes errors={errors} />
      </details>
    ))}
  </>
);

/** Statuses that concern no route: unreadable requests, and faults of the gateway. */
const GENERAL = ['408', '413', '414', '415', '431', '500'];

/** Loads the reference of a route. */
export const useReference = (row: CatalogRow): Reloadable<RouteReference> =>
  useReloadable(() => referenceOf(row), [row.id]);

interface ReferenceProps {
  readonly row: CatalogRow;
  readonly reference: Reloadable<RouteReference>;
}

/** An answer of a route, as its reference shows it. */
export const Example = ({ row, reference: { value } }: ReferenceProps) =>
  value?.example === undefined ? null : (
    <section aria-label="Example of an answer" class="example">
      <Json label="Example of an answer" text={value.example} fileName={`${row.method}.example.json`} />
    </section>
  );

function Fields({ reference: { schema, resolve } }: { readonly reference: RouteReference }) {
  const holder = holderOf(schema, resolve);
  return holder ? (
    <MemberList schema={holder} resolve={resolve} depth={0} />
  ) : (
    <p class="muted">The answer is a document.</p>
  );
}

/** The fields of a route's response, and its possible errors. */
export function Reference({ reference: { value, error, isLoading } }: Pick<ReferenceProps, 'reference'>) {
  const { errors = [] } = value ?? {};
  const general = errors.filter(([status]) => GENERAL.includes(status));
  return (
    <div class="reference">
      <section aria-labelledby="response">
        <h2 id="response">Fields of the answer</h2>
        {isLoading && <p class="muted">Loading the reference …</p>}
        {error !== undefined && <Failure error={error} />}
        {value && <Fields reference={value} />}
      </section>
      {value && (
        <section aria-labelledby="errors">
          <h2 id="errors">Errors</h2>
          <StatusErrors of={errors.filter((each) => !general.includes(each))} />
          {general.length > 0 && (
            <details class="refusals">
              <summary>
                <span class="badge down">…</span> On any route: {general.map(([status]) => status).join(', ')}
              </summary>
              <StatusErrors of={general} />
            </details>
          )}
        </section>
      )}
    </div>
  );
}
