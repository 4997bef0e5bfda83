import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, published } from './json-schema.ts';
import { brokenWithin, expectToDescribe, partsOf } from './shapes.ts';

/** Largest example in a challenge. */
const MAX_EXAMPLE_BYTES = 900;

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Whether a part has a description, a const, or an explained form. */
const isExplained = ({ description, const: only, type, anyOf = [] }: JsonSchema): boolean =>
  description !== undefined || only !== undefined || type === 'null' || anyOf.some(isExplained);

// The gateway's own documents are judged where they are served.
const described = routes.filter(({ surface }) => surface !== 'system');
const rows = described.map((route) => [route.id, published(route.result.schema), route.result.example] as const);

describe.each(rows)('%s', (_, schema, example) => {
  it('has a valid example with all required fields', () => {
    expectToDescribe(schema, example);
    expect(brokenWithin(schema, example).length).toBeGreaterThan(0);
  });

  it('has a small example in plain JSON', () => {
    const json = JSON.stringify(example);
    expect(JSON.parse(json)).toEqual(example);
    expect(json.length).toBeLessThan(MAX_EXAMPLE_BYTES);
  });

  it('describes each field', () => {
    const silent = partsOf(schema).filter(([where, part]) => /\.\w+$/.test(where) && !isExplained(part));
    expect(silent.map(([where]) => where)).toEqual([]);
  });

  it('types each value', () => {
    for (const [where, { type, anyOf }] of partsOf(schema)) {
      expect(anyOf === undefined ? TYPES : [undefined], where).toContain(type);
    }
  });

  it('allows more properties', () => {
    for (const [where, { additionalProperties }] of partsOf(schema)) {
      expect(additionalProperties === false, where).toBe(false);
    }
  });
});

it('every row describes its answer', () => {
  const open = routes.filter(({ result }) => Object.keys(published(result.schema)).length === 0);
  expect(open.map(({ id }) => id)).toEqual([]);
});
