import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, type FolderLock, lockFolder } from '../../packages/gateway/src/stores/lock.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import { compileGateway, endPrograms, startProgram } from '../process/program.ts';

const NOBODY = 65_534;
const CONTENDERS = 8;

let folder: string;
const children: ChildProcess[] = [];
beforeAll(compileGateway, 120_000);
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
afterAll(endPrograms);

async function take(path = folder): Promise<FolderLock> {
  const locking = await lockFolder(path);
  if ('holder' in locking) throw new Error(`held by ${locking.holder}`);
  return locking.lock;
}

async function holderOf(path = folder): Promise<string> {
  const locking = await lockFolder(path);
  if ('holder' in locking) return locking.holder;
  await locking.lock.close();
  return 'nobody';
}

async function listenAt(address: string): Promise<Server> {
  const server = createServer().listen(address);
  await once(server, 'listening');
  return server;
}

/** A process that listens there until it ends; resolves when it does. */
async function listenElsewhere(address: string, options: { uid?: number; gid?: number } = {}): Promise<ChildProcess> {
  const script = `require('net').createServer().listen(${JSON.stringify(address)}, () => console.log('listening'))`;
  const child = spawn(process.execPath, ['-e', script], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

const leaveDead = (name: string) => {
  const script = `require('net').createServer().listen(${JSON.stringify(join(folder, name))}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script]);
  expect(existsSync(join(folder, name))).toBe(true);
};

const start = () => startProgram({ PORT: '0', DATA_DIR: folder, TOKENS_API_KEY: 'key-of-the-upstream' });

describe('the lock of a folder', () => {
  it('is held by one at a time, whatever path leads there', async () => {
    const lock = await take();
    expect(await holderOf(`${folder}/.`)).toBe(`process ${process.pid} on ${hostname()}`);
    await lock.close();
    await (await take()).close();
  });

  it('is taken in a folder whose path is longer than the address of a socket', async () => {
    const deep = join(folder, 'a'.repeat(120), 'b'.repeat(120));
    mkdirSync(deep, { recursive: true });
    const lock = await take(deep);
    expect(await holderOf(deep)).toContain(`process ${process.pid} `);
    await lock.close();
  });

  it.each(['gateway.lock', 'gateway.lock.7'])('is seen where nothing but the folder is shared, as %s', async (name) => {
    const elsewhere = await listenAt(join(folder, name));
    expect(await holderOf()).toBe('another process');
    elsewhere.close();
  });

  it('is held by a process that stands still', async () => {
    const child = await listenElsewhere(join(folder, 'gateway.lock'));
    child.kill('SIGSTOP');
    expect(await holderOf()).toBe('another process');
  });

  it('is not held by a dead process, nor by a file', async () => {
    leaveDead('gateway.lock');
    await (await take()).close();
    writeFileSync(join(folder, 'gateway.lock.9'), '');
    const lock = await take();
    expect(readdirSync(folder)).toContain('gateway.lock.10');
    expect(await holderOf()).toContain(`process ${process.pid} `);
    await lock.close();
  });

  it('leaves two sockets behind, however often it was taken and whatever was left unfinished', async () => {
    leaveDead('gateway.lock.new-unfinished');
    for (let turn = 0; turn < 5; turn++) await (await take()).close();
    expect(readdirSync(folder).sort()).toEqual(['gateway.lock.3', 'gateway.lock.4']);
  });

  it('is not got by one so slow that others have had it since it looked, and their sockets are gone', async () => {
    for (let turn = 0; turn < 5; turn++) await (await take()).close();
    const lock = await take();
    expect(await claim(folder, 1)).toBeUndefined();
    expect(await holderOf()).toContain(`process ${process.pid} `);
    await lock.close();
  });
});

describe('the name of the lock', () => {
  it('V17 cannot be held by another user of the machine', async () => {
    const { dev, ino } = statSync(folder);
    const isRoot = process.getuid?.() === 0;
    await listenElsewhere(`\0asset-gateway-${dev}-${ino}`, isRoot ? { uid: NOBODY, gid: NOBODY } : {});
    const program = start();
    expect((await fetch(`${await program.url}/healthz`)).status).toBe(200);
    expect(await start().ended).toBe(1);
  });

  it.runIf(process.getuid?.() === 0)('V17 cannot be made in the folder by who may not write there', async () => {
    chmodSync(folder, 0o755);
    const script = `import('${process.cwd()}/packages/gateway/dist/stores/lock.js').then((m) => m.lockFolder('${folder}')).catch((e) => console.log(e.code))`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], { uid: NOBODY, gid: NOBODY, encoding: 'utf8' });
    expect(stdout.trim()).toBe('EACCES');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('V17 leads to who holds it: a second gateway names the process of the first', async () => {
    const first = start();
    await first.url;
    const second = start();
    expect(await second.ended).toBe(1);
    const who = `process ${first.child.pid} on ${hostname()}`;
    expect(second.stderr()).toBe(
      `asset-gateway: DATA_DIR: ${who} serves from ${folder}; without REDIS_URL only one may.\n`,
    );
  });
});

describe('many that want the lock at once', () => {
  it.each(Array.from({ length: roundsOnEach(20) }, (_, round) => round))(
    'V17 exactly one has it at any time, through releases and kills (round %i)',
    async () => {
      const words = ['tests/stores/lock-contender.mjs', folder, '25'];
      const contenders = Array.from({ length: CONTENDERS }, () => spawn(process.execPath, words, { stdio: 'pipe' }));
      children.push(...contenders);
      const ends = await Promise.all(
        contenders.map(async (child) => {
          const [output, complaints] = await Promise.all([
            text(child.stdout),
            text(child.stderr),
            once(child, 'close'),
          ]);
          return { output: output + complaints, signal: child.signalCode };
        }),
      );
      expect(ends).toEqual(Array(CONTENDERS).fill({ output: '', signal: 'SIGKILL' }));
      await (await take()).close();
      expect(readdirSync(folder)).toHaveLength(2);
    },
    60_000,
  );

  it('V17 of gateways that start at once one serves, and the others name it', async () => {
    const programs = Array.from({ length: isFull ? 5 : 3 }, start);
    const served = await Promise.any(programs.map(({ url, child }) => url.then(() => child)));
    const others = programs.filter(({ child }) => child !== served);
    for (const { ended, stderr } of others) {
      expect(await ended).toBe(1);
      expect(stderr()).toContain(`process ${served.pid} on`);
    }
  });
});
