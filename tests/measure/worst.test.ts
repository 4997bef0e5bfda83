import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { consoleRoutes, everyRoute } from '@asset-gateway/protocol';
import { beforeAll, expect } from 'vitest';
import { testInCi } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { compileAll } from '../process/program.ts';

beforeAll(compileAll, 120_000);

/** What reads the most: without a gate, for a signature, for a payment. */
const LONGEST = ['system.catalog', 'tokens.marketSnapshots', 'rpc.mainnet.helius.getProgramAccounts'];
const OTHERS = [
  'wallet.mainnet.helius.batchIdentity',
  'system.liveness',
  'system.chain',
  'credit.balance',
  'credit.mainnet.buy',
  'tokens.assetDetail',
  'tokens.variantMarkets',
  'das.mainnet.helius.searchAssets',
  'wallet.mainnet.helius.history',
];
const ROWS = isFull ? [...LONGEST, ...OTHERS] : LONGEST;

interface Ended {
  readonly code?: number;
  readonly stdout: string;
}

const measured = (ids: readonly string[]): Promise<Ended> =>
  promisify(execFile)(process.execPath, ['scripts/run.mjs', 'measure:worst', ...ids]).catch((failed: Ended) => failed);

testInCi(
  'V1 V2 V18 no request costs over 20 ms of CPU, and no refusal more than an answer',
  {
    timeout: isFull ? 900_000 : 300_000,
  },
  async () => {
    expect(ROWS.filter((id) => ![...everyRoute, ...consoleRoutes].some((row) => row.id === id))).toEqual([]);
    const { code = 0, stdout } = await measured(ROWS);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(LONGEST.at(-1) ?? '') });
  },
);
