import { afterEach, describe, expect, it, vi } from 'vitest';
import { Chain } from '../../packages/gateway/src/payments/facilitator/chain.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';

const node = await startStrangeGateway();

afterEach(() => void vi.restoreAllMocks());

it('X6 the latest final block is the newest that any node has shown, also while the node that answers is behind', async () => {
  const chain = new Chain(node.url);
  let slot = 0;
  node.answer((_, response) =>
    json(response, 200, { result: { context: { slot }, value: { blockhash: '', lastValidBlockHeight: slot + 100 } } }),
  );
  const { now } = performance;
  let aheadMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + aheadMs);
  const seen: number[] = [];
  for (slot of [1_000, 400, 1_200, 1_199]) {
    const { height, slot: latest } = await chain.finalized();
    expect(height).toBe(latest + 100 - 150);
    seen.push(latest);
    // The answer is reused for a second.
    aheadMs += 1_001;
  }
  expect(seen).toEqual([1_000, 1_000, 1_200, 1_200]);
  expect(node.arrivals).toHaveLength(4);
  await chain.close();
});

describe('what is known after a transaction was sent to a provider that answers', () => {
  const sent = async (status: number) => {
    const chain = new Chain(node.url);
    node.answer((_, response) => json(response, status, {}));
    return chain.send('').finally(() => chain.close());
  };

  it.each([400, 401, 403, 404, 405, 413, 415, 429])('V4 %d: no node has got it', async (status) => {
    expect(await sent(status)).toEqual({ unsent: `rpc sendTransaction: status ${status}` });
  });

  it.each([408, 409, 421, 425, 451, 499, 500, 502, 503, 504])('V4 %d: nothing', async (status) => {
    await expect(sent(status)).rejects.toThrow(`status ${status}`);
  });
});
