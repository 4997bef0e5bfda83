import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../packages/gateway/src/config/config.ts';
import { createLog } from '../../packages/gateway/src/log.ts';
import { BOTH, FIRST, SECOND, startKeyedGateway } from './keyed-gateway.ts';

describe('each key of a list', () => {
  it('is hidden in the log of a gateway, alone and in the list', async () => {
    const gateway = await startKeyedGateway();
    gateway.gateway.log.notice(`first ${FIRST}, second ${SECOND}, hex ${Buffer.from(SECOND).toString('hex')}`);
    gateway.gateway.log.failure(new Error(`all:${BOTH}`));
    await gateway.stop();
    const written = gateway.logLines.join('');
    expect(written).toContain('first [secret], second [secret], hex [secret]');
    expect(written).toContain('all: [secret] , [secret] ');
    for (const key of [FIRST, SECOND]) expect(written).not.toContain(key);
  });

  it('is hidden as a whole when another one is its beginning', () => {
    const lines: string[] = [];
    const log = createLog('info', ['key-of-the-operator', 'key-of-the-operator-2'], {
      write: (line) => lines.push(line),
    });
    log.notice('refused: key-of-the-operator-2.');
    expect(lines.join('')).toContain('refused: [secret].');
  });

  it.each([`${FIRST},,${SECOND}`, `${FIRST},${FIRST}`, `${FIRST},${SECOND} ${SECOND}`])(
    'is not in the fault of a list that is wrong: %#',
    (keys) => {
      const read = () => readConfig({ TOKENS_API_KEY: keys });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(/TOKENS_API_KEY/);
      expect(read).not.toThrow(/CANARY/);
    },
  );
});
