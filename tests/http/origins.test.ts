import { Refusal } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import type { Arrival, Call } from '../../packages/gateway/src/call.ts';
import { fromStore } from '../../packages/gateway/src/from-store.ts';
import { challengedUrl, localOrigins } from '../../packages/gateway/src/origin.ts';
import { standIn } from '../kit/stand-in.ts';

describe('the origin of a request to a gateway without a public name', () => {
  /** The origin, or the code and the reason of the refusal. */
  function originOf(port: number, ...hosts: string[]): string {
    try {
      return localOrigins('Box.Example')(standIn<Arrival>({ hosts, port }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return `${error.code}: ${error.message}`;
    }
  }

  it.each([
    [8080, 'localhost:8080'],
    [8080, 'LOCALHOST:8080'],
    [8080, '127.0.0.1:8080'],
    [8080, '[::1]:8080'],
    [8080, 'box.example:8080'],
    [80, 'localhost'],
    [80, '[::1]'],
  ])('at port %d is %s', (port, host) => {
    expect(originOf(port, host)).toBe(`http://${host.toLowerCase()}`);
  });

  it.each([
    [8080, 'gw.example:8080'],
    [8080, 'localhost'],
    [8080, 'localhost:8081'],
    [8080, 'localhost18080'],
    [80, 'localhost:80'],
    [80, 'gw.example'],
    [8080, ''],
  ])('at port %d is not %j', (port, host) => {
    expect(originOf(port, host)).toBe('bad_request: foreign Host');
  });

  it('is unknown without a Host', () => {
    expect([originOf(8080), originOf(80)]).toEqual(['bad_request: foreign Host', 'bad_request: foreign Host']);
  });
});

describe('the URL of a challenge', () => {
  const ORIGIN = 'https://gw.example';
  const urlOf = (path: string, query?: string) => challengedUrl({ path, query } as Call, ORIGIN);

  it('is the requested one, with its query', () => {
    expect([urlOf('/a'), urlOf('/a', ''), urlOf('/a', 'b=1')]).toEqual(
      ['/a', '/a?', '/a?b=1'].map((end) => ORIGIN + end),
    );
  });

  it('has at most 256 letters: first its query is omitted, then its path', () => {
    const path = '/'.padEnd(256 - ORIGIN.length, 'p');
    expect([urlOf(path), urlOf(`${path}p`), urlOf(path, '')]).toEqual([ORIGIN + path, ORIGIN, ORIGIN + path]);
  });
});

describe('an answer of the store', () => {
  it('arrives unchanged', async () => {
    expect(await fromStore(Promise.resolve(7))).toBe(7);
  });

  it.each([
    [new Error('ENOSPC'), 'store: ENOSPC'],
    ['a text', 'store: failed'],
  ])('that fails with %s refuses for now, with the state of the payment', async (failure, reason) => {
    const details = { payment: { state: 'unused' }, reason };
    const refused = fromStore(Promise.reject(failure), { payment: { state: 'unused' } });
    await expect(refused).rejects.toMatchObject({ code: 'state_unavailable', details });
  });
});
