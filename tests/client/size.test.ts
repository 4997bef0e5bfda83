import { describe, expect, it } from 'vitest';
import { bundleOf } from './bundle.ts';

const LIMIT_BYTES = 6700;

describe('a page', () => {
  it('loads less than 6.7 kB for all free methods, with no other imports', async () => {
    const program = `import { createFreeClient } from '@asset-gateway/client';
      globalThis.client = createFreeClient({ baseUrl: 'https://gateway.example' });`;
    const { gzipBytes, imports } = await bundleOf(program);
    expect(imports).toEqual([]);
    expect(gzipBytes).toBeLessThan(LIMIT_BYTES);
  });

  it('loads less than 27 kB to pay, dependencies included', async () => {
    const { code, gzipBytesInAll } = await bundleOf(`export { payWith } from '@asset-gateway/client/pay';`);
    expect(code).toContain('payWith');
    expect(gzipBytesInAll).toBeLessThan(27_000);
  });

  it('that does not pay loads no Solana package and no Node built-in', async () => {
    const { code, imports } = await bundleOf(`export * from '@asset-gateway/client';`);
    expect(imports).toEqual([]);
    expect(code).not.toMatch(/node:|@solana|\bprocess\.|\bBuffer\b/);
  });
});
