// A gateway with a journal of a million entries: its file, its start, and `/sales` of a day while it serves.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '../../packages/client/dist/index.js';
import { newSigner } from '../../packages/client/dist/node.js';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/dist/stores/sql/sqlite.js';
import { start, writeTable } from './processes.mjs';

const USUAL = { entries: 1_000_000, entriesADay: 432_000, wallets: 5_000, perSecond: 50, seconds: 20 };
const [CLIENTS, DAY_MS] = [8, 86_400_000];
const FREE = '/v1/x402/tokens/health';

/** Groups of one settlement, its grant, and 48 debits. */
const FILL = `with recursive n (n) as (select 0 union all select n + 1 from n where n + 1 < $1)
insert into journal_entries (at, kind, cluster, wallet_id, route, micro_usdc, fee_lamports, signature, request_id, node, key)
select strftime('%Y-%m-%dT%H:%M:%fZ', $2 + n * $3, 'unixepoch'),
  case n % 50 when 0 then 'settlement' when 1 then 'grant' else 'debit' end, 'mainnet', 1 + n / 50 % $4,
  case when n % 50 < 2 then 'credit.mainnet.buy' else 'rpc.mainnet.helius.getBalance' end,
  case when n % 50 < 2 then 50000 else 5 end, case n % 50 when 0 then 10001 else 0 end,
  case when n % 50 < 2 then hex(randomblob(40)) || (n / 50) end, lower(hex(randomblob(18))), '0123abcd',
  case when n % 50 < 2 then 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:' || hex(randomblob(16)) || (n / 50) end
from n`;

/** Writes the journal up to now. Returns the size of the file in MiB. */
async function fill(folder, { entries, entriesADay, wallets }) {
  await new SqliteDatabase(sqliteIn(folder), Date.now).close();
  const Connection = createRequire(new URL('../../packages/gateway/package.json', import.meta.url))('libsql');
  const connection = new Connection(sqliteIn(folder));
  const add = connection.prepare(
    'insert into wallets (cluster, address, granted_micro_usdc) values (?, ?, 1000000000)',
  );
  for (let wallet = 0; wallet < wallets; wallet++) add.run('mainnet', newSigner().address);
  const secondsApart = DAY_MS / 1_000 / entriesADay;
  const values = [entries, Date.now() / 1_000 - entries * secondsApart, secondsApart, wallets];
  connection.prepare(FILL.replaceAll(/\$(\d)/g, '?$1')).run(...values);
  connection.exec('pragma wal_checkpoint(truncate)');
  connection.close();
  return statSync(sqliteIn(folder)).size / 2 ** 20;
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Sends requests at a constant rate. Returns the 99th percentile of their latency in milliseconds. */
async function percentile99(clients, { perSecond, seconds }) {
  const times = [];
  const asked = Array.from({ length: perSecond * seconds }, async (_, index) => {
    await pause((index * 1_000) / perSecond);
    const before = performance.now();
    const response = await clients[index % clients.length].ask(FREE);
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    await response.arrayBuffer();
    times.push(performance.now() - before);
  });
  await Promise.all(asked);
  return at(
    times.sort((one, other) => one - other),
    0.99,
  );
}

/** Requests a day's sales until `isOver`. Returns the sorted latencies in milliseconds. */
async function askForSales(port, isOver) {
  const times = [];
  while (!isOver()) {
    const before = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/sales?since=24h`);
    const { isComplete } = await response.json();
    if (!isComplete) throw new Error('the sales are not complete');
    times.push(performance.now() - before);
    await pause(500);
  }
  return times.sort((one, other) => one - other);
}

/** Writes the cost of a journal of a million entries. */
export async function measureBooks(pace = USUAL, metricsPort = 19_464) {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
  const megabytes = await fill(folder, pace);
  const upstream = await start('upstream.mjs');
  const before = performance.now();
  const { url, child } = await start('gateway.mjs', {
    PORT: '0',
    DATA_DIR: folder,
    WINDOW_MS: 50,
    METRICS_PORT: String(metricsPort),
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: 'a-key-of-no-upstream',
    TOKENS_RATE_LIMIT_PER_MINUTE: 1_000,
  });
  const startMs = performance.now() - before;
  try {
    const clients = Array.from({ length: CLIENTS }, () => createClient({ baseUrl: url, signer: newSigner() }));
    await percentile99(clients, pace);
    const alone = await percentile99(clients, pace);
    let isOver = false;
    const asking = askForSales(metricsPort, () => isOver);
    const beside = await percentile99(clients, pace);
    isOver = true;
    const sales = await asking;
    writeTable(
      [`a journal of ${pace.entries} entries`, ''],
      [
        ['its file', `${megabytes.toFixed(0)} MiB`],
        ['from the start of the process to listening', `${startMs.toFixed(0)} ms`],
        [
          `\`/sales\` of ${pace.entriesADay} entries, median and longest`,
          `${at(sales, 0.5).toFixed(0)} and ${at(sales, 1).toFixed(0)} ms`,
        ],
        [`p99 of ${pace.perSecond} requests a second, alone`, `${alone.toFixed(1)} ms`],
        ['the same during requests for `/sales`', `${beside.toFixed(1)} ms`],
      ],
    );
  } finally {
    for (const each of [child, upstream.child]) each.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}
