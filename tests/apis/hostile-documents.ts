import { writeDocument } from './document-files.ts';

/** Operations of a document by name: verb and path, and members. */
export type Operations = Readonly<Record<string, readonly [place: string, members?: object]>>;

/** A parameter that is any text. */
export const text = (name: string, place: 'path' | 'query') => ({
  name,
  in: place,
  required: place === 'path',
  schema: { type: 'string' },
});

const answer = (schema: object) => ({ 200: { description: 'x', content: { 'application/json': { schema } } } });

/** A reference to a schema of the document. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A parameter of the query, with this schema. */
export const inQuery = (name: string, schema: object) => ({ name, in: 'query', schema });

/** A body of this schema. */
export const inBody = (schema: object, type = 'application/json') => ({
  requestBody: { content: { [type]: { schema } } },
});

/** Writes a document of operations by their names, each with verb, path and members. Returns its path. */
export function writeOperations(operations: Operations, more: object = {}): string {
  const paths: Record<string, object> = {};
  for (const [operationId, [place, members]] of Object.entries(operations)) {
    const [verb = '', path = ''] = place.split(' ');
    paths[path] = { ...paths[path], [verb]: { operationId, responses: answer({}), ...members } };
  }
  return writeDocument({ openapi: '3.1.0', ...more, paths });
}

/** A document with one operation, `op`. */
export const operation = (path: string, members: object = {}, schemas: object = {}, verb = 'get') => ({
  openapi: '3.1.0',
  components: { schemas },
  paths: { [path]: { [verb]: { operationId: 'op', responses: answer({}), ...members } } },
});

/** An operation with a query parameter of this schema, which is required unless said otherwise. */
export const asking = (schema: object, schemas: object = {}, required = true) =>
  operation('/a', { parameters: [{ name: 'q', in: 'query', required, schema }] }, schemas);

/** An operation with a body of this schema. */
export const posting = (schema: object, schemas: object = {}) => operation('/a', inBody(schema), schemas, 'post');

/** An operation with an answer of this schema. */
export const answering = (schema: object, schemas: object = {}) =>
  operation('/a', { responses: answer(schema) }, schemas);

/** A schema `N` that contains itself. */
export const NODE = { N: { type: 'object', properties: { next: ref('N') } } };

/** Schemas `R0` to `R<count>`; each is a reference to the next one. */
export const chained = (count: number): object =>
  Object.fromEntries(
    Array.from({ length: count + 1 }, (_, index) => [`R${index}`, index === count ? {} : ref(`R${index + 1}`)]),
  );

/** Schemas `S0` to `S<count>`; each contains the next one twice. */
export const doubling = (count: number): object =>
  Object.fromEntries(
    Array.from({ length: count + 1 }, (_, index) => {
      const next = ref(`S${index + 1}`);
      return [`S${index}`, index === count ? { type: 'string' } : { type: 'object', properties: { a: next, b: next } }];
    }),
  );

/** A body or an answer whose schema nests so deep; written as text, since JSON.stringify cannot. */
export function nested(depth: number, verb: 'get' | 'post'): string {
  const mark = { title: 'mark' };
  const document = JSON.stringify(verb === 'post' ? posting(mark) : answering(mark));
  const schema = `${'{"type":"object","properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`;
  return document.replace(JSON.stringify(mark), schema);
}

/** A document with `*i`, which is ten to the ninth texts by aliases; in its parameter's or its answer's media type. */
export function aliasBomb(parameter: string, media = 'schema: {}'): string {
  const levels = [...'bcdefghi'].map((name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefgh'[index]}`)}]`);
  return `openapi: 3.1.0
a: &a [${Array(10).fill('x')}]
${levels.join('\n')}
paths:
  /a:
    get:
      operationId: op
      parameters: [{ name: q, in: query, required: true, ${parameter} }]
      responses: { '200': { content: { application/json: { ${media} } } } }
`;
}
