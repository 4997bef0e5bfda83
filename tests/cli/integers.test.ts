import { typeText } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { typesOf } from '../../packages/cli/src/commands/types.ts';
import { parseWhole } from '../../packages/client/src/lossless-json.ts';

const UNSAFE = 2 ** 53;
const SAFE = UNSAFE - 1;
const integer = { type: 'integer' };

it('an integer of an answer reads as a number or, beyond 2^53, as a bigint', () => {
  const kinds = Object.values(parseWhole('{"small":7,"large":9007199254740993}', []) as object).map(
    (each) => typeof each,
  );
  expect(kinds).toEqual(['number', 'bigint']);
});

it.each([
  [integer, 'number | bigint'],
  [{ ...integer, minimum: 0 }, 'number | bigint'],
  [{ ...integer, maximum: 100 }, 'number | bigint'],
  [{ ...integer, minimum: 0, maximum: UNSAFE }, 'number | bigint'],
  [{ ...integer, minimum: -UNSAFE, maximum: 0 }, 'number | bigint'],
  [{ ...integer, minimum: -SAFE, maximum: SAFE }, 'number'],
  [{ ...integer, minimum: 0, maximum: 2 ** 64 }, 'bigint'],
  [{ type: ['integer', 'null'] }, 'number | bigint | null'],
  [{ type: 'array', items: integer }, '(number | bigint)[]'],
  [{ type: 'number' }, 'number'],
])('the result of a call by name with %j has the type %s', (schema, type) => {
  const route = { surface: 'ids', method: 'next', outputSchema: { properties: { result: schema } } };
  const listed = { ...route, httpMethod: 'GET', path: '/v1/x402/ids/next', accessMode: 'siwx', description: 'Next.' };
  expect(typesOf([listed as never], 'https://gateway.example')).toContain(`result: ${type};`);
});

it.each([
  [integer, 'number | bigint'],
  [{ ...integer, minimum: 1, maximum: SAFE }, 'number | bigint'],
  [{ ...integer, minimum: 1, maximum: 100 }, 'number'],
])('a parameter with %j has the type %s', (schema, type) => expect(typeText(schema, 'input')).toBe(type));

it('a method that knows its 64-bit integers has a number for each other integer', () => {
  expect(typeText(integer, 'result')).toBe('number');
});
