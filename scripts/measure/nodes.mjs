// Debits a second with one, two and four gateways on an empty PostgreSQL and an empty Redis on this machine. Linux only: it reads
// /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createClient } from '../../packages/client/dist/index.js';
import { newSigner } from '../../packages/client/dist/node.js';
import { PAID, startFacilitator, startGateway } from './credit.mjs';
import { cpuMicros, send, start, writeTable } from './processes.mjs';

const USUAL = { nodes: [1, 2, 4], wallets: 32, warmUp: 2_000, requests: 10_000 };
const GRANTED_MICROS = 1_000_000_000;

/** The processor time of all processes with a name, in microseconds. */
const cpuOf = (name) =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .reduce((sum, pid) => {
      try {
        return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name ? sum + cpuMicros({ pid }) : sum;
      } catch {
        return sum; // It has exited.
      }
    }, 0);

async function fund(url, signers) {
  const pg = createRequire(new URL('../../packages/gateway/package.json', import.meta.url))('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sql = `insert into wallets (cluster, address, granted_micro_usdc) values ('mainnet', $1, ${GRANTED_MICROS})`;
  for (const { address } of signers) await client.query(sql, [address]);
  await client.end();
}

async function measureNodes(count, { shared, signers, upstream, facilitator, pace }) {
  const gateways = [];
  for (let index = 0; index < count; index++) gateways.push(await startGateway({ upstream, facilitator }, shared));
  if (count === 1) await fund(shared.DATABASE_URL, signers);
  const asks = signers.map((signer, index) => {
    const client = createClient({ baseUrl: gateways[index % count].url, signer, credit: true });
    return () => client.ask(PAID);
  });
  const cpu = () => ({
    gateways: gateways.reduce((sum, { child }) => sum + cpuMicros(child), 0),
    postgres: cpuOf('postgres'),
    redis: cpuOf('redis-server'),
  });
  try {
    await send(asks, pace.warmUp);
    const [before, beforeMs] = [cpu(), performance.now()];
    await send(asks, pace.requests);
    const [after, seconds] = [cpu(), (performance.now() - beforeMs) / 1_000];
    const micros = Object.keys(before).map((name) => Math.round((after[name] - before[name]) / pace.requests));
    return [count, Math.round(pace.requests / seconds), ...micros];
  } finally {
    for (const { child } of gateways) {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('close', resolve));
    }
  }
}

/** Writes debits a second, and the CPU time of each part, by the number of gateways. */
export async function measureNodeCounts(pace = USUAL) {
  const { DATABASE_URL, REDIS_URL } = process.env;
  if (!DATABASE_URL || !REDIS_URL)
    throw new Error('set DATABASE_URL and REDIS_URL to an empty database and an empty Redis');
  const shared = { DATABASE_URL, REDIS_URL, GATEWAY_SECRET: '0123456789abcdef'.repeat(2) };
  const signers = Array.from({ length: pace.wallets }, newSigner);
  const facilitator = await startFacilitator();
  const upstream = await start('upstream.mjs');
  const rows = [];
  try {
    for (const count of pace.nodes)
      rows.push(await measureNodes(count, { shared, signers, upstream, facilitator, pace }));
  } finally {
    upstream.child.kill('SIGTERM');
    facilitator.close();
  }
  writeTable(['gateways', 'debits a second', 'µs of CPU a debit: gateways', 'PostgreSQL', 'Redis'], rows);
}
