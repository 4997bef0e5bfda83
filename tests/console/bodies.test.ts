import { describe, expect, it } from 'vitest';
import { exampleText, type FormRow, fieldFault, fieldsOf } from '../../packages/console/src/routes/fields.ts';
import { requestOf } from '../../packages/console/src/routes/use-form.ts';
import { serveApis } from '../apis/apis.ts';
import { writeDocument } from '../apis/document-files.ts';
import { operation } from '../apis/hostile-documents.ts';

const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const count = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
const BODIES = {
  list: { type: 'array', items: name, minItems: 1 },
  one: { oneOf: [name, count] },
  all: { allOf: [name, count] },
  text: { type: 'string', minLength: 2 },
  named: name,
} as const;

const paths: Record<string, object> = {};
for (const [operationId, schema] of Object.entries(BODIES)) {
  const requestBody = { content: { 'application/json': { schema } } };
  Object.assign(paths, operation(`/${operationId}`, { operationId, requestBody }, {}, 'post').paths);
}
Object.assign(paths, operation('/none', { operationId: 'none' }, {}, 'delete').paths);
const { gateway } = await serveApis({
  real: {
    openapi: writeDocument({ openapi: '3.1.0', paths }),
    operations: Object.fromEntries([...Object.keys(BODIES), 'none'].map((each) => [each, {}])),
  },
});
const { routes } = (await (await fetch(`${gateway.url}/v1/catalog?provider=real`)).json()) as {
  routes: (FormRow & { readonly method: string })[];
};
const rowOf = (method: string) => routes.find((row) => row.method === method) as FormRow;

describe('the form of a body without named members', () => {
  it.each([
    ['list', '[{"name":"a"}]', [{ name: 'a' }]],
    ['one', '{"count":1}', { count: 1 }],
    ['all', '{"name":"a","count":1}', { name: 'a', count: 1 }],
    ['text', '"ab"', 'ab'],
  ])('%s is one text of JSON', (method, text, body) => {
    const row = rowOf(method);
    const fields = fieldsOf(row);
    expect(fields.map(({ place, label, kind }) => `${place} ${label} ${kind}`)).toEqual(['body body json']);
    const [field] = fields;
    if (!field) throw new Error('no field');
    expect(JSON.parse(exampleText(field, row))).toEqual(row.inputExample);
    expect(requestOf(row, fields, { 'body body': text }).body).toEqual(body);
    expect(['', '{"name"', text].map((it) => fieldFault(field, it))).toEqual(['Required.', 'Must be JSON.', undefined]);
    expect(requestOf(row, fields, {}).body).toBeUndefined();
  });
});

it('a body with named members has a field for each, and an absent body has none', () => {
  expect(fieldsOf(rowOf('named')).map(({ name: each }) => each)).toEqual(['name']);
  expect(fieldsOf(rowOf('none'))).toEqual([]);
});
