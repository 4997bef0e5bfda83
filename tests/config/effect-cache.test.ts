import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, readConfig } from '@asset-gateway/gateway';
import { afterAll, describe, expect, it } from 'vitest';
import { LIFETIMES } from '../../packages/gateway/src/cache/lifetimes.ts';
import { makeFolder } from '../kit/folder.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';

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
      '"tokens.health" is no route that is kept',
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
    expect(() => read({}, { CACHE_FILE: join(folder, 'nowhere') })).toThrow('CACHE_FILE: no such file');
  });

  it('decides what a hit says', async () => {
    writeFileSync(path, JSON.stringify({ 'tokens.search': { freshSeconds: 7, maxStaleSeconds: 9 } }));
    const gateway = await startTestGateway({ RESPONSE_CACHE: 'on', CACHE_FILE: path });
    const url = `${gateway.url}/v1/x402/tokens/assets/search?q=solana`;
    await askSigned(url);
    expect((await askSigned(url)).headers.get('cache-status')).toMatch(/hit; ttl=[67]$/);
    await gateway.stop();
  });
});

it('RESPONSE_CACHE and CACHE_MAX_MIB: whether answers are kept, and how many what is kept', async () => {
  const gateway = await startTestGateway({ RESPONSE_CACHE: 'on', CACHE_MAX_MIB: '1' });
  const ask = (query: string) => askSigned(`${gateway.url}/v1/x402/tokens/assets/search?q=${query}`);
  gateway.upstream.faults.huge = 300_000;
  for (const query of ['one', 'two', 'three', 'four']) await ask(query);
  const before = gateway.upstream.arrivals.length;
  await ask('four');
  expect(gateway.upstream.arrivals.length).toBe(before);
  await ask('one');
  expect(gateway.upstream.arrivals.length).toBe(before + 1);
  await gateway.stop();
});
