import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';

describe('the configured limit', () => {
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
