// Uses the database of the folder argv[2]: buys, settles, and fetches stored answers; argv[3] times, or until it is killed. Prints
// `.` when it begins.
import { randomBytes } from 'node:crypto';
import { openLocal } from '../../packages/gateway/dist/compose/local.js';
import { openMoney } from '../../packages/gateway/dist/compose/money.js';

const [dataDir, times] = process.argv.slice(2);
const turns = Number(times ?? Number.POSITIVE_INFINITY);
const { store, database, close } = await openLocal({ dataDir }).catch(() => process.exit(0));
const money = openMoney(database, 86_400_000);
const { payments } = money;
const network = /** @type {const} */ ('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp');
const budget = { key: 'budget', limit: 1_000, windowMs: 10, inFlightMs: 10 };
const inFlightLimit = { isFreeFor: () => true, enter: () => undefined, leave: () => undefined };
const bought = [];
process.stdout.write('.');

async function buy() {
  const [key, owner, answer] = [randomBytes(32).toString('hex'), 'owner', 'x'.repeat(Math.random() * 30_000)];
  const facts = { network, requestHash: key, payer: key, source: 's', memo: 'm', priceUsd: '0.1', transaction: 't' };
  const requirement = {
    ...{ scheme: /** @type {const} */ ('exact'), network, amount: '100000', asset: 'a', payTo: 'p' },
    maxTimeoutSeconds: 60,
    extra: { feePayer: 'f' },
  };
  const sale = { requirement, route: 'r', requestId: 'i', feeLamports: 0, creditMicros: 0 };
  await payments.reserve({ key, owner, ...facts, ...sale });
  await payments.beginSettlement(key, owner, { answer, signature: key, height: 1 });
  const proof = { outcome: /** @type {const} */ ('settled'), signature: key };
  await payments.resolve(key, Math.random() < 0.8 ? proof : { outcome: 'refused', reason: 'r' });
  if (Math.random() < 0.8) payments.delivered(key);
  bought.push(key);
}

// The process that has started this one may have been killed.
const { ppid } = process;
for (let turn = 0; turn < turns && process.ppid === ppid; turn++) {
  const calls = Array.from({ length: Math.random() * 10 }, () => buy().catch(() => undefined));
  await store.admit({ budget, owner: randomBytes(8).toString('hex'), inFlightLimit }).catch(() => undefined);
  await Promise.all(calls);
  const again = bought[Math.floor(Math.random() * bought.length)];
  if (again) await payments.keep(again, 'y'.repeat(Math.random() * 9_000)).catch(() => undefined);
}
await money.close();
await close();
