import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';

const withLimit = (limit: string) =>
  readConfig({ TOKENS_API_KEY: 'upstream-key', TOKENS_RATE_LIMIT_PER_MINUTE: limit });

describe('the configured limit', () => {
  it('L10 of 0 leaves the routes out, so that nothing is left to serve', () => {
    expect(() => withLimit('0')).toThrow(/TOKENS_RATE_LIMIT_PER_MINUTE/);
  });

  it('L10 that is no whole number from 0 to a million is refused', () => {
    for (const limit of ['-1', '1.5', '1e3', '1000001', 'many', '0x10']) {
      expect(() => withLimit(limit)).toThrow('TOKENS_RATE_LIMIT_PER_MINUTE must be a whole number from 0 to 1000000.');
    }
  });

  it.each([1, 3])('L10 of %i is honoured', async (limit) => {
    const gateway = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: String(limit) });
    const url = `${gateway.url}/v1/x402/tokens/assets/solana`;
    const statuses = await Promise.all(
      Array.from({ length: limit + 2 }, () => askSigned(url).then(({ status }) => status)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
    expect(gateway.upstream.arrivals).toHaveLength(limit);
    await gateway.stop();
  });
});
