import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, readConfig } from '@asset-gateway/gateway';
import { afterAll, describe, expect, it } from 'vitest';
import { LIFETIMES } from '../../packages/gateway/src/cache/lifetimes.ts';
import { makeFolder } from '../kit/folder.ts';

const folder = makeFolder();
const path = join(folder, 'cache.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads a configuration whose file holds this. */
function read(content: unknown, variables: Environment = {}) {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readConfig({ TOKENS_API_KEY: 'key', RESPONSE_CACHE: 'on', CACHE_FILE: path, ...variables });
}

describe('CACHE_FILE', () => {
  it('replaces the lifetimes of the routes that it names, and leaves the others', () => {
    const search = { freshSeconds: 1, maxStaleSeconds: 2 };
    expect(read({ 'tokens.search': search }).cache?.lifetimes).toEqual({ ...LIFETIMES, search });
  });

  it('with 0 and 0 has a route never kept', () => {
    const { search: _, ...others } = LIFETIMES;
    expect(read({ 'tokens.search': { freshSeconds: 0, maxStaleSeconds: 0 } }).cache?.lifetimes).toEqual(others);
  });

  it.each([
    ['a list', [], 'must be a JSON object'],
    ['no JSON', '{', 'must be a JSON object'],
    [
      'a route that is not kept',
      { 'tokens.health': { freshSeconds: 1, maxStaleSeconds: 1 } },
      '"tokens.health" is not a cached route',
    ],
    [
      'a route that is none',
      { 'tokens.serch': { freshSeconds: 1, maxStaleSeconds: 1 } },
      'the nearest is tokens.search',
    ],
    [
      'one member',
      { 'tokens.search': { freshSeconds: 1 } },
      '"tokens.search" must be freshSeconds and maxStaleSeconds',
    ],
    ['a bound below fresh', { 'tokens.search': { freshSeconds: 2, maxStaleSeconds: 1 } }, 'must be'],
    ['a fraction', { 'tokens.search': { freshSeconds: 1.5, maxStaleSeconds: 2 } }, 'must be'],
    ['another member', { 'tokens.search': { freshSeconds: 1, maxStaleSeconds: 2, x: 1 } }, 'must be'],
  ])('with %s is named at the start', (_, content, sentence) => {
    expect(() => read(content)).toThrow(sentence);
  });

  it('has its faults named while nothing is kept', () => {
    expect(() => read('{', { RESPONSE_CACHE: 'off' })).toThrow('CACHE_FILE');
    expect(() => read({}, { CACHE_FILE: join(folder, 'nowhere') })).toThrow('CACHE_FILE: there is no file');
  });
});
