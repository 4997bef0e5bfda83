import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const text = (example) => ({ type: 'string', minLength: 1, maxLength: 60, example });
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const json = (media) => ({ content: { 'application/json': media } });

const schemas = {
  Item: {
    type: 'object',
    required: ['id', 'name'],
    properties: {
      id: { type: 'string', format: 'uuid', description: 'The id of the item.' },
      name: { ...text('Ada'), description: 'The name of the item.' },
      state: { type: 'string', enum: ['open', 'closed', 'archived'], description: 'The state of the item.' },
      labels: { type: 'array', maxItems: 20, items: ref('Label') },
      size: { type: 'number', minimum: 0, description: 'The size in metres.' },
    },
  },
  Label: { type: 'object', required: ['key'], properties: { key: text('colour'), value: text('red') } },
  List: {
    type: 'object',
    properties: { total: { type: 'integer' }, items: { type: 'array', items: ref('Item') } },
  },
};

const owner = { name: 'owner', in: 'path', required: true, schema: text('ada') };
const page = { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } };
const answer = (name) => ({ 200: { description: 'The answer.', ...json({ schema: ref(name) }) } });
const body = json({ schema: ref('Item'), example: { id: 'a', name: 'Ada' } });

/** The two operations on the items of a kind. */
const pathItemOf = (kind) => ({
  get: {
    operationId: `list${kind}`,
    summary: `Items of ${kind}.`,
    parameters: [owner, page],
    responses: answer('List'),
  },
  post: {
    operationId: `make${kind}`,
    summary: `Makes an item of ${kind}.`,
    parameters: [owner],
    requestBody: { required: true, ...body },
    responses: answer('Item'),
  },
});

/**
 * Writes the file of an API and its document. Returns the path of the file.
 * @param {string} folder
 * @param {number} count the number of operations, which is even
 * @returns {string}
 */
export function writeLargeApi(folder, count) {
  const kinds = Array.from({ length: count / 2 }, (_, at) => `Kind${at}`);
  const paths = Object.fromEntries(kinds.map((kind) => [`/owners/{owner}/${kind}`, pathItemOf(kind)]));
  const operations = Object.fromEntries(
    kinds.flatMap((kind) => [
      [`list${kind}`, {}],
      [`make${kind}`, {}],
    ]),
  );
  const [openapi, file] = ['document', 'apis'].map((name) => join(folder, `${name}-${count}.json`));
  writeFileSync(openapi, JSON.stringify({ openapi: '3.1.0', paths, components: { schemas } }));
  const large = { title: 'Large', openapi, url: 'http://127.0.0.1:9', operations };
  writeFileSync(file, JSON.stringify({ apis: { large } }));
  return file;
}
