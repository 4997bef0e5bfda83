// CPU time of the gateway for a call that is paid from credit by signature, beside a signed call that is free:
// `npm run measure:credit`. Linux only: it reads /proc.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../packages/client/dist/index.js';
import { newSigner } from '../../packages/client/dist/node.js';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/dist/stores/sql/sqlite.js';
import { NETWORKS } from '../../packages/protocol/dist/index.js';
import { measureSubjects, start, titleOf, writeTable } from './processes.mjs';

const USUAL = { rounds: 14, requests: 500, warmUp: 2_500 };
const CLIENTS = 8;
const ADDRESS = 'So11111111111111111111111111111111111111112';
const FREE = '/v1/x402/tokens/health';
export const PAID = `/v1/x402/helius/wallet/balances/${ADDRESS}`;
/** The largest budget with slots on disk, and a window short enough that it suffices for every request. */
const [LIMIT, WINDOW_MS] = [1_000, 50];

/** A facilitator that is never asked to settle. */
export async function startFacilitator() {
  const facilitator = createServer((_, response) => {
    const kinds = Object.values(NETWORKS).map((network) => {
      return { x402Version: 2, scheme: 'exact', network, extra: { feePayer: ADDRESS } };
    });
    response.end(JSON.stringify({ kinds, extensions: [], signers: { 'solana:*': [ADDRESS] } }));
  });
  await new Promise((resolve) => facilitator.listen(0, '127.0.0.1', resolve));
  return facilitator;
}

/** Gives the wallets credit. */
async function fund(folder, signers) {
  const database = new SqliteDatabase(sqliteIn(folder), Date.now);
  const sql = `insert into wallets (cluster, address, granted_micro_usdc) select 'mainnet', $1, 5000000 where {in time} returning id`;
  for (const { address } of signers) await database.write({ guard: { sql, values: [address] } });
  await database.close();
}

/** A gateway that sells wallet data for credit; `state` names its stores. */
export const startGateway = ({ upstream, facilitator }, state) =>
  start('gateway.mjs', {
    ...state,
    PORT: '0',
    WINDOW_MS,
    CREDIT: 'on',
    FACILITATOR_URL: `http://127.0.0.1:${facilitator.address().port}`,
    PAY_TO_WALLET: ADDRESS,
    HELIUS_API_KEY: 'a-key-of-no-upstream',
    HELIUS_WALLET_API_BASE_URL: upstream.url,
    WALLET_RATE_LIMIT_PER_SECOND: 1_000_000,
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: 'a-key-of-no-upstream',
    TOKENS_RATE_LIMIT_PER_MINUTE: LIMIT,
  });

/** Writes the cost of a call from credit and of a free one. */
export async function measureCredit(pace = USUAL) {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
  const signers = Array.from({ length: CLIENTS }, newSigner);
  await fund(folder, signers);
  const facilitator = await startFacilitator();
  const upstream = await start('upstream.mjs');
  const { url, child } = await startGateway({ upstream, facilitator }, { DATA_DIR: folder });
  const subject = (name, path, credit) => {
    const clients = signers.map((signer) => createClient({ baseUrl: url, signer, credit }));
    return { name, child, asks: clients.map((client) => () => client.ask(path)), expected: 200 };
  };
  try {
    const subjects = [subject('signed, free', FREE, false), subject('signed, from credit', PAID, true)];
    const least = await measureSubjects(subjects, pace);
    const [free] = least.values();
    const rows = Array.from(least, ([name, micros]) => [name, Math.round(micros), (micros / free).toFixed(2)]);
    writeTable([titleOf(pace), 'µs', 'relative to free'], rows);
  } finally {
    for (const each of [child, upstream.child]) each.kill('SIGTERM');
    facilitator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
