import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { routes } from '@asset-gateway/protocol';
import { beforeAll, expect, it } from 'vitest';
import { compileAll } from '../process/program.ts';

beforeAll(compileAll, 120_000);

/** One row of each surface, and those that read the most. */
const ROWS = [
  'system.liveness',
  'system.catalog',
  'tokens.marketSnapshots',
  'tokens.assetDetail',
  'tokens.variantMarkets',
  'rpc.mainnet.helius.getProgramAccounts',
  'das.mainnet.helius.searchAssets',
  'wallet.mainnet.helius.batchIdentity',
  'wallet.mainnet.helius.history',
];

interface Ended {
  readonly code?: number;
  readonly stdout: string;
}

const measured = (ids: readonly string[]): Promise<Ended> =>
  promisify(execFile)(process.execPath, ['scripts/run.mjs', 'measure:worst', ...ids]).catch((failed: Ended) => failed);

it('V1 V2 V18 no request costs over 20 ms of CPU, and no refusal more than an answer', {
  timeout: 300_000,
}, async () => {
  expect(ROWS.filter((id) => !routes.some((row) => row.id === id))).toEqual([]);
  const { code = 0, stdout } = await measured(ROWS);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(ROWS.at(-1) ?? '') });
});
