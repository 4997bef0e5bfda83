import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import { openEmbedded } from '../../packages/gateway/src/compose/embedded.ts';
import { FreeSpace } from '../../packages/gateway/src/stores/free-space.ts';
import { makeFolder } from '../kit/folder.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { ask, newBuyer, newPath } from '../payments/fault-buyer.ts';
import { newPayment } from '../payments/forge-records.ts';
import { ROOM } from './room.ts';

const MIB = 1024 * 1024;
const HEALTH = '/v1/x402/tokens/health';
const budget: Budget = { key: 'b', limit: 30, windowMs: 60_000, inFlightMs: 1_000 };
const nonce = (epoch: string) => ({ nonce: 'n', issuedAtSeconds: Math.floor(Date.now() / 1000), epoch });

/** A small disk of its own; nothing where this user may not make one. */
function mountDisk(mebibytes: number): { folder: string; unmount(): void } | undefined {
  const folder = makeFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]);
  if (status !== 0) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    unmount() {
      spawnSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

describe('R8 a store whose disk has no room', () => {
  it('R8 refuses before a slot is taken, a nonce burnt or a payment begun, and works again with room', async () => {
    const folder = makeFolder();
    const needed = { toBegin: Number.MAX_SAFE_INTEGER, toEnd: 0 };
    const { store, payments, close } = await openEmbedded(folder, { space: new FreeSpace(folder, needed) });
    const attempt = { budget, owner: 'owner', room: ROOM, nonce: nonce(store.epoch()) };
    await expect(store.admit(attempt)).rejects.toThrow('DATA_DIR');
    expect(store.view(budget).left).toBe(30);
    const payment = newPayment();
    expect(await payments.reserve(payment)).toBe('reserved');
    await expect(payments.settling(payment.key, payment.owner, { answer: '1' })).rejects.toThrow('DATA_DIR');
    expect((await payments.find(payment.key))?.progress).toBe('reserved');
    needed.toBegin = 0;
    expect(await store.admit(attempt)).toEqual({ kind: 'admitted' });
    expect(await payments.settling(payment.key, payment.owner, { answer: '1' })).toBe('settling');
    await close();
    rmSync(folder, { recursive: true });
  });

  it('R8 is looked at each time while its room could soon be gone, and four times a second while there is plenty', () => {
    const found = { bytes: 2048 * MIB - 1, looks: 0 };
    const space = new FreeSpace('/', { toBegin: 64 * MIB, toEnd: 8 * MIB }, () => {
      found.looks++;
      return found.bytes;
    });
    for (let count = 0; count < 10; count++) space.assertToBegin();
    expect(found.looks).toBe(10);
    found.bytes = 10 * MIB;
    expect(() => space.assertToBegin()).toThrow('64 MiB');
    space.assertToEnd();
    found.bytes = 2048 * MIB;
    vi.useFakeTimers({ toFake: ['performance'], now: 0 });
    space.assertToBegin();
    found.bytes = MIB;
    vi.advanceTimersByTime(249);
    space.assertToBegin();
    expect(found.looks).toBe(13);
    vi.advanceTimersByTime(1);
    expect(() => space.assertToEnd()).toThrow('8 MiB');
    vi.useRealTimers();
  });

  it('R8 lets nothing through on a real full disk, and costs nobody anything', async ({ skip }) => {
    const disk = mountDisk(96);
    if (!disk) return skip('this user may not mount a disk');
    const gateway = await startTestGateway(
      { TOKENS_RATE_LIMIT_PER_MINUTE: '1000' },
      { dataDir: disk.folder, paid: true },
    );
    const [signInUrl, paidUrl] = [gateway.url + HEALTH, gateway.url + newPath()];
    const solana = gateway.solana;
    if (!solana) throw new Error('nothing is sold');
    const header = await signedHeader(signInUrl);
    const payment = await (await newBuyer(solana.mainnet)).pay(paidUrl);
    const ballast = join(disk.folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(40 * MIB));
    const signedIn = await fetch(signInUrl, { headers: { 'SIGN-IN-WITH-X': header } });
    expect([signedIn.status, (await signedIn.json()) as object]).toMatchObject([503, { error: 'state_unavailable' }]);
    const paid = await ask(paidUrl, payment);
    expect([paid.status, paid.code]).toEqual([503, 'state_unavailable']);
    expect(paid.text).toContain('"state":"unused"');
    expect(gateway.upstream.arrivals).toHaveLength(0);
    expect(solana.mainnet.transfers).toHaveLength(0);
    expect(gateway.logLines.join('')).toContain('DATA_DIR has less than 64 MiB free');
    rmSync(ballast);
    expect((await fetch(signInUrl, { headers: { 'SIGN-IN-WITH-X': header } })).status).toBe(200);
    expect((await askSigned(signInUrl)).headers.get('ratelimit')).toContain('r=998');
    expect((await ask(paidUrl, payment)).status).toBe(200);
    expect(solana.mainnet.transfers).toHaveLength(1);
    await gateway.stop();
    disk.unmount();
  });
});
