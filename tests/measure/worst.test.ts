import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect } from 'vitest';
import { testInCi } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { compileAll } from '../process/program.ts';

beforeAll(compileAll, 120_000);

/** What reads the most: for a signature, and for a payment in an API with a document of its own. */
const LONGEST = ['tokens.marketSnapshots', 'worst.mainnet.store'];
const OTHERS = [
  'system.catalog',
  'rpc.mainnet.helius.getProgramAccounts',
  'wallet.mainnet.helius.batchIdentity',
  'system.liveness',
  'system.chain',
  'credit.balance',
  'credit.mainnet.buy',
  'tokens.assetDetail',
  'tokens.variantMarkets',
  'das.mainnet.helius.searchAssets',
  'wallet.mainnet.helius.history',
  'worst.search',
];
const ROWS = isFull ? [...LONGEST, ...OTHERS] : LONGEST;

interface Ended {
  readonly code?: number;
  readonly stdout: string;
}

const measured = (ids: readonly string[]): Promise<Ended> =>
  promisify(execFile)(process.execPath, ['scripts/run.mjs', 'measure:worst', ...ids]).catch((failed: Ended) => failed);

const MOST_MS = isFull ? 900_000 : 300_000;

testInCi(
  'V1 V2 V18 no request costs over 20 ms of CPU, and no refusal more than an answer',
  { timeout: MOST_MS },
  async () => {
    const { code = 0, stdout } = await measured(ROWS);
    expect(ROWS.filter((id) => !stdout.includes(id))).toEqual([]);
    expect({ code, stdout }).toEqual({ code: 0, stdout });
  },
);
