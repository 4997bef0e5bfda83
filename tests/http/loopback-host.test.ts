import { describe, expect, it } from 'vitest';
import { isLoopbackHost } from '../../packages/gateway/src/ip-address.ts';

describe('isLoopbackHost', () => {
  it.each(['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])(
    '%s is this machine',
    (host) => {
      expect(isLoopbackHost(host)).toBe(true);
    },
  );

  it.each([
    '',
    '[',
    '[]',
    '[::1',
    '::1]',
    '::',
    '0.0.0.0',
    '128.0.0.1',
    '127.0.0.1.evil.example',
    '[localhost.evil.example]',
  ])('%j may be another machine', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});
