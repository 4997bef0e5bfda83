// Uses the store of the folder argv[2]: buys, settles, and fetches what was bought before; argv[3] times, or until it is killed.
// Says `.` when it begins.
import { randomBytes } from 'node:crypto';
import { openEmbedded } from '../../packages/gateway/dist/compose/embedded.js';

const [folder, turns = Number.POSITIVE_INFINITY] = process.argv.slice(2);
const { store, payments, close } = await openEmbedded(folder).catch(() => process.exit(0));
const budget = { key: 'budget', limit: 1_000, windowMs: 10, inFlightMs: 10 };
const bought = [];
process.stdout.write('.');

async function buy() {
  const [key, owner, answer] = [randomBytes(32).toString('hex'), 'owner', 'x'.repeat(Math.random() * 30_000)];
  const facts = { network: 'n', requestHash: key, payer: key, source: 's', memo: 'm', priceUsd: '1', transaction: 't' };
  await payments.reserve({ key, owner, requirement: '{}', ...facts });
  await payments.settling(key, owner, { answer });
  await payments.resolve(
    key,
    Math.random() < 0.8 ? { progress: 'settled', signature: 's' } : { progress: 'refused', reason: 'r' },
  );
  if (Math.random() < 0.8) await payments.delivered(key);
  bought.push(key);
}

// Whoever started this may have been killed.
const { ppid } = process;
for (let turn = 0; turn < turns && process.ppid === ppid; turn++) {
  const calls = Array.from({ length: Math.random() * 10 }, () => buy().catch(() => undefined));
  await store
    .admit({ budget, owner: randomBytes(8).toString('hex'), room: { isFree: true, take: () => undefined } })
    .catch(() => undefined);
  await Promise.all(calls);
  const again = bought[Math.floor(Math.random() * bought.length)];
  if (again) await payments.keep(again, 'y'.repeat(Math.random() * 9_000)).catch(() => undefined);
}
await close();
