import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { published } from './json-schema.ts';
import { brokenWithin, expectToDescribe, partsOf } from './shapes.ts';

/** What a challenge can carry beside everything else. */
const MAX_EXAMPLE_BYTES = 900;

const described = routes.filter(({ id }) => id !== 'system.catalog');
const rows = described.map((route) => [route.id, published(route.result.schema), route.result.example] as const);

describe.each(rows)('%s', (_, schema, example) => {
  it('has an example that fits, and of which nothing that is asked for may be missing or of another type', () => {
    expectToDescribe(schema, example);
    expect(brokenWithin(schema, example).length).toBeGreaterThan(0);
  });

  it('has a small example, in plain JSON', () => {
    const json = JSON.stringify(example);
    expect(JSON.parse(json)).toEqual(example);
    expect(json.length).toBeLessThan(MAX_EXAMPLE_BYTES);
  });

  it('says of each field what it is', () => {
    for (const [where, part] of partsOf(schema)) {
      const { type, anyOf, const: constant } = part;
      expect(type ?? anyOf ?? constant, where).toBeDefined();
      expect([undefined, 'object', 'array', 'string', 'number', 'integer', 'boolean', 'null'], where).toContain(type);
    }
  });

  it('leaves its objects open for what an upstream may add', () => {
    for (const [where, { additionalProperties }] of partsOf(schema)) {
      expect(additionalProperties === false, where).toBe(false);
    }
  });
});

it('leaves open what the catalog answers, and nothing else', () => {
  const open = routes.filter(({ result }) => Object.keys(published(result.schema)).length === 0);
  expect(open.map(({ id }) => id)).toEqual(['system.catalog']);
});
