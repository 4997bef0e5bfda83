import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@asset-gateway/gateway';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectBooksInOrder } from '../kit/books.ts';
import { makeFolder } from '../kit/folder.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY } from '../payments/fault-buyer.ts';
import { compileGateway, endPrograms, startProgram } from '../process/program.ts';

const HEALTH = '/v1/x402/tokens/health';
const PAGE = Buffer.alloc(4096);

/** A small disk. */
interface Disk {
  readonly folder: string;
  /** Takes all the room that is left. */
  fill(): void;
  empty(): void;
  unmount(): void;
}

function mountDisk(): Disk | undefined {
  const folder = makeFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]);
  if (status !== 0) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a');
      while (statfsSync(folder).bavail > 0) writeSync(file, PAGE);
      closeSync(file);
    },
    empty: () => rmSync(ballast, { force: true }),
    unmount() {
      spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

const probe = mountDisk();
probe?.unmount();

describe.skipIf(!probe)('R8 a gateway whose disk is full', { timeout: 60_000 }, () => {
  let disk: Disk;
  beforeAll(compileGateway, 120_000);
  beforeEach(() => {
    disk = mountDisk() as Disk;
  });
  afterEach(() => disk.unmount());
  afterAll(endPrograms);

  it('R8 serves nothing, charges nothing, and serves again when there is room', async () => {
    const limit = { TOKENS_RATE_LIMIT_PER_MINUTE: '1000' };
    const gateway = await startTestGateway(limit, { dataDir: disk.folder, paid: true });
    const [signInUrl, paidUrl] = [gateway.url + HEALTH, gateway.url + newPath()];
    const mainnet = gateway.solana?.mainnet;
    if (!mainnet) throw new Error('nothing is sold');
    const header = await signedHeader(signInUrl);
    const payment = await (await newBuyer(mainnet)).pay(paidUrl);
    disk.fill();
    const signedIn = await fetch(signInUrl, { headers: { 'SIGN-IN-WITH-X': header } });
    expect([signedIn.status, (await signedIn.json()) as object]).toMatchObject([503, { error: 'state_unavailable' }]);
    const paid = await ask(paidUrl, payment);
    expect([paid.status, paid.code]).toEqual([503, 'state_unavailable']);
    expect(paid.text).toContain('"state":"unused"');
    expect(gateway.upstream.arrivals).toHaveLength(0);
    expect(mainnet.transfers).toHaveLength(0);
    expect(gateway.logLines.join('')).toContain('disk is full');
    disk.empty();
    expect((await fetch(signInUrl, { headers: { 'SIGN-IN-WITH-X': header } })).status).toBe(200);
    expect((await askSigned(signInUrl)).headers.get('ratelimit')).toContain('r=998');
    expect((await ask(paidUrl, payment)).status).toBe(200);
    await expectBooksInOrder(disk, mainnet.transfers);
    expect(mainnet.transfers).toHaveLength(1);
    await gateway.stop();
  });

  /** A gateway whose disk is full from this step of its first purchase on. */
  async function sellUntil(step: string): Promise<SellingGateway> {
    let isFull = false;
    const onStep = (each: string) => {
      if (each !== step || isFull) return;
      isFull = true;
      disk.fill();
    };
    return startSellingGateway(ROOMY as Environment, { dataDir: disk.folder, onStep });
  }

  it.each([
    ['upstream', 0],
    ['store', 1],
    ['settle', 1],
  ])('R8 from the step "%s" of a purchase on: charges once, for one answer', async (step, transfers) => {
    const { url: origin, solana, stop } = await sellUntil(step);
    const [url, buyer] = [origin + newPath(), await newBuyer(solana.mainnet)];
    const payment = await buyer.pay(url);
    const first = await ask(url, payment);
    if (transfers === 0) {
      expect(first).toMatchObject({ status: 503, code: 'state_unavailable' });
      expect(first.text).toContain('"state":"unused"');
    }
    expect(solana.mainnet.transfers).toHaveLength(transfers);
    disk.empty();
    expect((await askUntilDecided(url, payment)).status).toBe(200);
    await expectBooksInOrder(disk, solana.mainnet.transfers);
    expect(solana.mainnet.transfers).toHaveLength(1);
    await stop();
  });

  it('R8 does not start, says so in a sentence, and starts when there is room', async () => {
    const start = () => startProgram({ PORT: '0', DATA_DIR: disk.folder, TOKENS_API_KEY: 'key-of-the-upstream' });
    const expectRefused = async () => {
      disk.fill();
      const refused = start();
      expect(await refused.ended).toBe(1);
      expect(refused.stderr()).toMatch(/^asset-gateway: DATA_DIR: .*\.\n$/);
      disk.empty();
    };
    await expectRefused();
    const program = start();
    expect((await fetch(`${await program.url}/healthz`)).status).toBe(200);
    program.child.kill('SIGKILL');
    await program.ended;
    await expectRefused();
  });
});
