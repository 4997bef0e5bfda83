import { expect, it } from 'vitest';
import { node, runCommand } from '../kit/command.ts';
import { isFull } from '../kit/rounds.ts';

/** Too few for their figures to mean anything, enough to see that everything is measured. */
const FEW = { rounds: 1, requests: 40 };

/** The names of the rows that one of the measuring scripts writes, each with figures. */
async function rowsOf(measure: string, script: string): Promise<(string | undefined)[]> {
  const text = `import { ${measure} } from './scripts/measure/${script}'; await ${measure}(${JSON.stringify(FEW)});`;
  const { stdout } = await runCommand(node('--input-type=module', '--eval', text));
  return [...stdout.matchAll(/^\| ([^|]+) \| [\d.]+ \|.*\|$/gm)].map(([, name]) => name);
}

const SERVERS = [
  'hand-written floor',
  'gateway',
  'gateway, slots on disk',
  'gateway, a search',
  'gateway, the search from its cache',
  'floor that repeats its answer',
  'bare server',
  'gateway, challenge',
];

it.runIf(isFull).each([
  ['measure', 'measure.mjs', SERVERS],
  ['measureCredit', 'measure.mjs', ['signed, free', 'signed, from credit']],
  ['measurePurchase', 'purchase.mjs', ['hand-written floor', 'gateway', 'official packages']],
  ['measureSize', 'size.mjs', ['0', '2000', '10000']],
])('%s of %s has a row for each of %j', { timeout: 120_000 }, async (measure, script, names) => {
  expect(await rowsOf(measure, script)).toEqual(names);
});

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

const MOST_MS = isFull ? 900_000 : 300_000;

it('V1 V2 V18 no request costs over 20 ms of CPU, and no refusal more than an answer', {
  timeout: MOST_MS,
}, async () => {
  const { code, stdout, stderr } = await runCommand(node('scripts/run.mjs', 'measure:worst', ...ROWS), {
    env: process.env,
  });
  expect(ROWS.filter((id) => !stdout.includes(id))).toEqual([]);
  expect(code, stdout + stderr).toBe(0);
});
