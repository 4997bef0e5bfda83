import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, published } from './json-schema.ts';
import { brokenWithin, expectToDescribe, partsOf } from './shapes.ts';

/** What a challenge can carry beside everything else. */
const MAX_EXAMPLE_BYTES = 900;

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Whether a part says what it is: in words, by its one value, or by one of its forms. */
const isExplained = ({ description, const: only, type, anyOf = [] }: JsonSchema): boolean =>
  description !== undefined || only !== undefined || type === 'null' || anyOf.some(isExplained);

// The gateway's own documents are judged where they are served.
const described = routes.filter(({ surface }) => surface !== 'system');
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
    const silent = partsOf(schema).filter(([where, part]) => /\.\w+$/.test(where) && !isExplained(part));
    expect(silent.map(([where]) => where)).toEqual([]);
  });

  it('says of each value what type it has', () => {
    for (const [where, { type, anyOf }] of partsOf(schema)) {
      expect(anyOf === undefined ? TYPES : [undefined], where).toContain(type);
    }
  });

  it('leaves its objects open for what an upstream may add', () => {
    for (const [where, { additionalProperties }] of partsOf(schema)) {
      expect(additionalProperties === false, where).toBe(false);
    }
  });
});

it('no row leaves open what it answers', () => {
  const open = routes.filter(({ result }) => Object.keys(published(result.schema)).length === 0);
  expect(open.map(({ id }) => id)).toEqual([]);
});
