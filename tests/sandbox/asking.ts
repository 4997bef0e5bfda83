import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';

export const KEY = 'upstream-key';
export const NOW = Date.parse('2025-12-29T09:23:45Z');
export const SOL = 'So11111111111111111111111111111111111111112';
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const TESLA = 'XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB';
export const ANTHROPIC = 'Pren1FvFX6J3E4kXhJuCiAD5aDmGEb7qJRncwA8Lkhw';
/** A well-formed mint without a token. */
export const UNKNOWN = '7'.repeat(43);

/** An answer of the upstream. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export const post = (body: string): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json' },
});

/** A Tokens API for the tests of a file; resets its faults after each test. */
export function tokensApi() {
  const running: { api?: TokensApi } = {};
  const api = (): TokensApi => {
    if (running.api === undefined) throw new Error('the upstream does not run');
    return running.api;
  };
  beforeAll(async () => {
    running.api = await startTokensApi({ key: KEY, now: () => NOW });
  });
  afterEach(() => api().faults.reset());
  afterAll(() => api().close());

  async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${api().url}${path}`, { ...init, headers: { 'x-api-key': KEY, ...init.headers } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async function ok(path: string, init: RequestInit = {}) {
    const { status, text } = await ask(path, init);
    expect(status, `${path} ${text.slice(0, 200)}`).toBe(200);
    return JSON.parse(text);
  }

  async function refusal(path: string, init: RequestInit = {}): Promise<[number, string, string]> {
    const { status, headers, text } = await ask(path, init);
    expect(headers.get('cache-control')).toBe('no-store');
    const { _tag, message } = JSON.parse(text).error;
    return [status, _tag, message];
  }

  return { api, ask, ok, refusal };
}

/** The member names of an object, sorted. */
export const keys = (value: object): string[] => Object.keys(value).sort();
