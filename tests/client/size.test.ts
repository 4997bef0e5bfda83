import { describe, expect, it } from 'vitest';
import { bundleOf } from './bundle.ts';

const LIMIT_BYTES = 6700;

describe('what a page loads', () => {
  it('to sign in, with every free method, is less than 6.7 kB, and needs nothing else', async () => {
    const program = `import { createFreeClient } from '@asset-gateway/client';
      globalThis.client = createFreeClient({ baseUrl: 'https://gateway.example' });`;
    const { gzipBytes, imports } = await bundleOf(program);
    expect(imports).toEqual([]);
    expect(gzipBytes).toBeLessThan(LIMIT_BYTES);
  });

  it('to pay is less than 27 kB in all, from two packages and what they bring along', async () => {
    const { code, gzipBytesInAll } = await bundleOf(`export { payWith } from '@asset-gateway/client/pay';`);
    expect(code).toContain('payWith');
    expect(gzipBytesInAll).toBeLessThan(27_000);
  });

  it('to do everything but pay has no package of Solana and no built-in of Node in it', async () => {
    const { code, imports } = await bundleOf(`export * from '@asset-gateway/client';`);
    expect(imports).toEqual([]);
    expect(code).not.toMatch(/node:|@solana|\bprocess\.|\bBuffer\b/);
  });
});
