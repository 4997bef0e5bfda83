import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberText } from '../../packages/gateway/src/upstreams/member-text.ts';
import { anyText } from '../kit/any-text.ts';
import { samples } from '../kit/rounds.ts';

const keys = fc.oneof(
  fc.constantFrom(
    'result',
    'Result',
    'result ',
    'id',
    '',
    '__proto__',
    'constructor',
    '"',
    '\\',
    '\\"',
    '}',
    ':',
    ',',
    '\u2028',
    '😀',
  ),
  anyText({ maxLength: 8 }),
);
const values = fc.jsonValue({ maxDepth: 4 });
const members = fc.array(fc.tuple(keys, values), { maxLength: 6 });

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
/** Every character as an escape, which says the same. */
const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
const spelling = fc.constantFrom(JSON.stringify, escaped);

/** An object's JSON text, the members in this order and repeated as they come, spaced and spelled in every way. */
const text = fc
  .tuple(members, fc.infiniteStream(space), fc.infiniteStream(spelling), fc.constantFrom(undefined, 1, '\t'))
  .map(([entries, spaces, spellings, indent]) => {
    const gap = (): string => spaces.next().value ?? '';
    const spell = (key: string): string => (spellings.next().value ?? JSON.stringify)(key);
    const rows = entries.map(
      ([key, value]) => `${gap()}${spell(key)}${gap()}:${gap()}${JSON.stringify(value, undefined, indent)}${gap()}`,
    );
    return `${gap()}{${rows.join(',') || gap()}}${gap()}`;
  });

const parsed = (json: string): Record<string, unknown> => JSON.parse(json) as Record<string, unknown>;

describe('the text of a member', () => {
  it('parses to the value of JSON.parse, for every name', () => {
    const check = (json: string) => {
      const whole = parsed(json);
      for (const name of Object.keys(whole)) {
        expect(JSON.parse(memberText(json, name) ?? '')).toEqual(whole[name]);
      }
    };
    fc.assert(fc.property(text, check), { numRuns: samples(1_000) });
  });

  it('is undefined for a missing name, also if it occurs in a nested object or a string', () => {
    const check = (json: string, name: string) => {
      fc.pre(!Object.hasOwn(parsed(json), name));
      expect(memberText(json, name)).toBeUndefined();
    };
    fc.assert(fc.property(text, keys, check), { numRuns: samples(1_000) });
    expect(memberText('{"a":{"result":1},"b":["result",{"result":2}],"c":"\\"result\\":3"}', 'result')).toBeUndefined();
  });

  it('is cut out unchanged, without the white space around it', () => {
    const check = (value: unknown, before: string, after: string, indent: string | undefined) => {
      const inner = JSON.stringify(value, undefined, indent);
      const json = `{"jsonrpc":"2.0",${before}"result"${after}:${before}${inner}${after},"id":1}`;
      expect(memberText(json, 'result')).toBe(inner);
    };
    fc.assert(fc.property(values, space, space, fc.constantFrom(undefined, '  '), check), { numRuns: samples(1_000) });
  });

  it('is that of the last member of a name, in any spelling', () => {
    expect(memberText('{"result":1,"result":2}', 'result')).toBe('2');
    expect(memberText('{"result":1,"r\\u0065sult":2,"id":3}', 'result')).toBe('2');
    expect(memberText('{"\\u0072esult":[1,{"result":4}],"id":3}', 'result')).toBe('[1,{"result":4}]');
  });

  it.each([
    ['{}', undefined],
    ['{"result":null}', 'null'],
    ['{"result":[ -18446744073709551615.50e400 ]}', '[ -18446744073709551615.50e400 ]'],
    ['{"result":""}', '""'],
    ['{"result":"}"}', '"}"'],
    ['{"result":"\\\\"}', '"\\\\"'],
    ['{"result":"\\\\\\""}', '"\\\\\\""'],
    ['{"\\\\":1,"result":{}}', '{}'],
    ['{"a":"{[","result":[[],{}]}', '[[],{}]'],
    ['{"result":" spaced "}', '" spaced "'],
    ['{"result":"\u2028\ufeff"}', '"\u2028\ufeff"'],
  ])('of %s is %s', (json, expected) => {
    expect(memberText(json, 'result')).toBe(expected);
  });
});
