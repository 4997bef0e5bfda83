import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readApisFile } from '../../../packages/gateway/dist/config/apis-file/file.js';

const parameter = (name, schema, place = 'query') => ({ name, in: place, required: place === 'path', schema });
const text = { type: 'string', pattern: '^([A-Za-z]+[ .-]?)+$' };
const responses = {
  200: { description: 'The answer.', content: { 'application/json': { schema: { type: 'object' } } } },
};
const item = { type: 'object', required: ['name'], properties: { name: text, tags: { type: 'array', items: text } } };
const body = {
  type: 'object',
  required: ['items'],
  properties: { items: { type: 'array', maxItems: 50, items: item } },
};

const amounts = { type: 'object', properties: { amounts: { type: 'array', maxItems: 50, items: { type: 'number' } } } };

/**
 * An operation with a pattern in its path, lists and a choice, one with nested lists in its body, and one with slashes in its path and
 * numbers in its body.
 */
const DOCUMENT = {
  openapi: '3.1.0',
  paths: {
    '/search/{place}': {
      get: {
        operationId: 'search',
        parameters: [
          parameter('place', { ...text, example: 'Rome' }, 'path'),
          parameter('name', { ...text, example: 'Ada' }),
          parameter('codes', { type: 'array', items: { type: 'integer' } }),
          parameter('kind', { enum: Array.from({ length: 1_000 }, (_, at) => `kind ${at}`) }),
        ],
        responses,
      },
    },
    '/files/{path}:mark': {
      post: {
        operationId: 'mark',
        parameters: [parameter('path', { type: 'string', example: 'a/b' }, 'path')],
        requestBody: { content: { 'application/json': { schema: amounts, example: { amounts: [1.5] } } } },
        responses,
      },
    },
    '/files/{folder}/{name}:move': { post: { operationId: 'move', responses } },
    '/items': {
      post: {
        operationId: 'store',
        requestBody: {
          content: { 'application/json': { schema: body, example: { items: [{ name: 'Ada', tags: ['a'] }] } } },
        },
        responses,
      },
    },
  },
};

/** An API with an OpenAPI document, and its rows: `worst.search` and `worst.mark` are free, `worst.mainnet.store` is paid. */
export function openApi(folder, url) {
  const file = join(folder, 'apis.json');
  const openapi = join(folder, 'document.json');
  writeFileSync(openapi, JSON.stringify(DOCUMENT));
  const operations = { search: {}, mark: { slashes: true }, store: { access: 'exact', price: '0.002' } };
  const worst = { title: 'Worst', openapi, url, requestsPerMinute: 1_000_000, operations };
  writeFileSync(file, JSON.stringify({ apis: { worst } }));
  const { apis } = readApisFile(file);
  return { file, rows: apis.flatMap(({ rows }) => rows) };
}
