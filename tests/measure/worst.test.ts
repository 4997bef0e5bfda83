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
/** Rows of an API with a document of its own. */
const OF_API = ['worst.search', 'worst.mainnet.store'];
const ROWS = isFull ? [...LONGEST, ...OTHERS, ...OF_API] : [...LONGEST, ...OF_API];

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
    expect(ROWS.filter((id) => ![...everyRoute, ...consoleRoutes].some((row) => row.id === id))).toEqual(OF_API);
    const { code = 0, stdout } = await measured(ROWS);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(OF_API.at(-1) ?? '') });
  },
);
