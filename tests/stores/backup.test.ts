import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../packages/gateway/src/compose/embedded.ts';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, newBuyer, newPath, ROOMY } from '../payments/fault-buyer.ts';
import { newPayment, SETTLED } from '../payments/forge-records.ts';
import { ROOM } from './room.ts';

const [, COMMAND = ''] =
  /## Backup and restore[\s\S]*?```sh\n([\s\S]*?)```/.exec(readFileSync('docs/operating.md', 'utf8')) ?? [];

let folder: string;
let restored: string;
beforeEach(() => {
  folder = makeFolder();
  restored = `${folder}/restored`;
  mkdirSync(restored);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Does what docs/operating.md says, in a process of its own, while the store is open here. */
async function copy(): Promise<void> {
  const env = { PATH: process.env.PATH, DATA_DIR: folder, COPY: `${restored}/gateway.lmdb` };
  const child = spawn('sh', ['-ec', COMMAND], { env });
  const [complaints, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([code, complaints]).toEqual([0, '']);
}

describe('a copy of a store that is in use', () => {
  it('serves what was bought before it was made, and what was paid since, and charges nobody', async () => {
    const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
    const { mainnet, provider } = solana;
    const first = await startSellingGateway(ROOMY, { solana: solana, dataDir: folder });
    const [before, after, later] = [newPath(), newPath(), newPath()];
    const buyer = await newBuyer(mainnet);
    const payments = new Map<string, string>();
    for (const path of [before, after, later]) payments.set(path, await buyer.pay(first.url + path));
    const bought = await ask(first.url + before, payments.get(before));
    await Promise.all([copy(), ask(`${first.url}/healthz`)]);
    expect((await ask(first.url + after, payments.get(after))).status).toBe(200);
    await first.gateway.stop();

    const second = await startSellingGateway(ROOMY, { solana: solana, dataDir: restored });
    const calls = provider.arrivals.length;
    const again = await ask(second.url + before, payments.get(before));
    expect([again.status, again.isReplayed, again.text]).toEqual([200, true, bought.text]);
    expect((await ask(second.url + after, payments.get(after))).status).toBe(200);
    expect(mainnet.transfers).toHaveLength(2);
    expect(provider.arrivals.length - calls).toBe(1);
    expect((await ask(second.url + later, payments.get(later))).status).toBe(200);
    expect(mainnet.transfers).toHaveLength(3);
    await second.stop();
    await solana.close();
  });

  it('has the secret and what is owed of when it was made, and neither slots nor nonces', async () => {
    const budget = { key: 'budget', limit: 5, windowMs: 60_000, inFlightMs: 0 };
    const now = await openEmbedded(folder);
    const take = (owner: string) => now.store.admit({ budget, owner, room: ROOM });
    const { key, owner, ...facts } = newPayment();
    await now.payments.reserve({ key, owner, ...facts });
    await now.payments.settling(key, owner, { answer: '"owed"' });
    await now.payments.resolve(key, SETTLED);
    for (const each of ['one', 'two', 'three']) await take(each);
    await copy();
    await now.payments.delivered(key);
    await take('four');
    const then = await openEmbedded(restored);
    expect(then.secret).toBe(now.secret);
    expect(then.store.epoch()).not.toBe(now.store.epoch());
    expect([now.store.view(budget).left, then.store.view(budget).left]).toEqual([1, 5]);
    expect((await then.payments.owed(facts.payer, facts.requestHash))?.key).toBe(key);
    expect(await then.payments.answer(key)).toBe('"owed"');
    expect(statSync(`${restored}/gateway.lmdb`).mode & 0o077).toBe(0);
    await then.close();
    await now.close();
  });
});
