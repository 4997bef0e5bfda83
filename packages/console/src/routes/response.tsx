import { below, type Members, nextStepOf, objectAt } from '@asset-gateway/protocol';
import { Json } from '../parts/code.tsx';
import { Failure, WithCode } from '../parts/failure.tsx';
import { once, useFresh } from '../parts/hooks.ts';
import { TermList } from '../parts/table.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { session } from '../session.ts';
import type { Row } from './catalog.ts';
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

/** What a route answers. */
type RouteReference = Awaited<ReturnType<typeof referenceOf>>;

const ERROR = /^- `(\w+)`: (.*)$/gm;

/** The errors of a status; on paid routes, those of a payment come before those of a sign-in. */
const errorsIn = (description: unknown) =>
  [...String(description).matchAll(ERROR)]
    .map(([, code = '', message = '']) => ({ code, message }))
    .sort((a, b) => Number(nextStepOf(b.code) === 'Pay') - Number(nextStepOf(a.code) === 'Pay'));

/** The gateway's OpenAPI document. */
const documentOf = once(async () => session.client.system.openapi());

/** The response and the errors of a route, from the gateway's OpenAPI document. */
async function referenceOf({ path, httpMethod }: Row) {
  const document = await documentOf();
  const template = path.replace(/:(\w+)/g, '{$1}');
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

function nameOf(schema: Schema, resolve: Resolve): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  if (schema.type === 'array') return schema.items ? `list of ${typeText(schema.items, resolve)}` : 'list';
  return String(schema.type ?? 'any').replaceAll(',', ' or ');
}

/** A schema's type: `number or null`. */
function typeText(schema: Schema, resolve: Resolve): string {
  const forms = (schema.anyOf ?? [schema]).map(resolve);
  return [...new Set(forms.map((form) => nameOf(form, resolve)))].join(' or ');
}

/** The schema that holds the members: of an object, of a list's items, of an alternative. */
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

/** Deeper members are left to the example. */
const MAX_DEPTH = 8;
/** Members up to this depth are shown at once. */
const OPEN_DEPTH = 2;

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

function Response({ reference, fileName }: { readonly reference: RouteReference; readonly fileName: string }) {
  const { example, schema, resolve } = reference;
  const holder = holderOf(schema, resolve);
  const tabs: Tab[] = [];
  if (example !== undefined)
    tabs.push({ title: 'Example', show: () => <Json label="Example" text={example} fileName={fileName} /> });
  if (holder) tabs.push({ title: 'Fields', show: () => <MemberList schema={holder} resolve={resolve} depth={0} /> });
  return tabs.length > 0 ? <Tabs label="Response" tabs={tabs} /> : <p class="muted">The answer is a document.</p>;
}

/** Codes of a status that are shown at once. */
const FIRST_CODES = 3;

const Codes = ({ errors }: { readonly errors: ReturnType<typeof errorsIn> }) => (
  <TermList
    class="codes small"
    of={errors.map(({ code, message }) => [code, <WithCode key={code} text={message} />])}
  />
);

function StatusErrors({ of: statuses }: { readonly of: RouteReference['errors'] }) {
  return statuses.map(([status, all]) => (
    <div key={status} class="status">
      <span class="badge down">{status}</span>
      <div>
        <Codes errors={all.slice(0, FIRST_CODES)} />
        {all.length > FIRST_CODES && (
          <details>
            <summary>
              {all.length - FIRST_CODES} more {all.length - FIRST_CODES === 1 ? 'code' : 'codes'} with {status}
            </summary>
            <Codes errors={all.slice(FIRST_CODES)} />
          </details>
        )}
      </div>
    </div>
  ));
}

/** Statuses of requests that no route reads, and of faults of the gateway. */
const GENERAL = ['408', '413', '414', '415', '431', '500'];

/** The response of a route and the errors that it can return. */
export function Reference({ row }: { readonly row: Row }) {
  const { value: reference, error, isLoading } = useFresh(() => referenceOf(row), [row.id]);
  const { errors = [] } = reference ?? {};
  const general = errors.filter(([status]) => GENERAL.includes(status));
  return (
    <div class="reference">
      <section aria-labelledby="response">
        <h2 id="response">Response</h2>
        {isLoading && <p class="muted">Loading the reference …</p>}
        {error !== undefined && <Failure error={error} />}
        {reference && <Response reference={reference} fileName={`${row.method}.example.json`} />}
      </section>
      {reference && (
        <section aria-labelledby="errors">
          <h2 id="errors">Errors</h2>
          <StatusErrors of={errors.filter((each) => !general.includes(each))} />
          {general.length > 0 && (
            <details class="general">
              <summary>Errors that any route can return: {general.map(([status]) => status).join(', ')}</summary>
              <StatusErrors of={general} />
            </details>
          )}
        </section>
      )}
    </div>
  );
}
