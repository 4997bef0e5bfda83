import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { type Expression, expressionsIn, faultOf, madeOfText, patternsIn } from './expressions.ts';
import { readSources } from './rules.ts';

// redos-detector, because it is small and judges searches that fail from every position as well as backtracking: recheck is more
// exact but lets loops of the flag g pass and brings 30 MB, and safe-regex2 sees exponential growth only.

const sources = readSources();
const literals = sources.flatMap(expressionsIn);
const patterns = routes.flatMap(({ id, input, result }) => patternsIn({ input, result }, id));

/** Each once, however many rows share it. */
const distinct = (expressions: readonly Expression[]): Expression[] => [
  ...new Map(expressions.map((expression) => [`${expression.pattern}/${expression.flags}`, expression])).values(),
];
const faultsOf = (expressions: readonly Expression[]) => distinct(expressions).map(faultOf).filter(Boolean);

describe('V2 no regular expression has super-linear time', () => {
  it('no literal in the sources', () => {
    expect(literals.length).toBeGreaterThan(80);
    expect(faultsOf(literals)).toEqual([]);
  });

  it('no pattern of a schema', () => {
    expect(distinct(patterns).length).toBeGreaterThan(8);
    expect(faultsOf(patterns)).toEqual([]);
  });

  it('none is built from text at run time', () => {
    expect(sources.flatMap(madeOfText)).toEqual([]);
  });
});

describe('V2 a regular expression is reported', () => {
  it.each([
    ['that splits at blanks, from each of which it tries again', String.raw`text.split(/\s*,\s*/)`],
    ['that goes back over its own repetition', '/^(?:a+)+$/.test(text)'],
    ['that splits one run between two repetitions', String.raw`/^\d+\d+$/.test(text)`],
    ['that is searched from every position of a run', '/[a-z]+x/.exec(text)'],
    ['that looks for the end of a run from each of its members', "text.replace(/0+$/, '')"],
    ['that matches a little and reads on each time', '[...text.matchAll(/a*b|a/g)]'],
    ['that hides in a template', '`$' + '{/x*y/.test(text)}`'],
  ])('%s', (_, text) => {
    expect(expressionsIn({ path: 'a.ts', text }).map(faultOf)).toEqual([expect.stringContaining('a.ts: /')]);
  });

  it('in a schema', () => {
    const schema = { properties: { name: { anyOf: [{ pattern: '^[a-z]*[a-z0-9]*$' }] } } };
    expect(patternsIn(schema, 'row').map(faultOf)).toEqual([expect.stringContaining('row: /')]);
  });

  it('that is made of a text', () => {
    for (const text of ['new RegExp(name)', "RegExp(name, 'g')", 'x(new RegExp(`^$' + '{name}`).test(y))']) {
      expect(madeOfText({ path: 'a.ts', text })).toHaveLength(1);
    }
  });

  it('but not a harmless one', () => {
    const text = String.raw`f(/^[a-z]{1,63}(?:\.[a-z]{1,63})+$/, /\s+/g, /^(?:\/[\w.-]*)+$/, /={1,2}$/)`;
    expect(expressionsIn({ path: 'a.ts', text }).map(faultOf)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
