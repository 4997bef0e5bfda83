import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FolderLock, lockFolder } from '../../packages/gateway/src/stores/lock.ts';
import { node, runCommand, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { startProgram } from '../process/program.ts';

const NOBODY = '65534';
const CONTENDERS = 8;
/** While it is held, and after it was. */
const FILES = ['gateway.db.lock'];
const LOCK_MODULE = `${process.cwd()}/packages/gateway/dist/stores/lock.js`;

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});

async function take(path = folder): Promise<FolderLock> {
  const locking = await lockFolder(path);
  if ('lockedBy' in locking) throw new Error(`held by ${locking.lockedBy}`);
  return locking.lock;
}

async function lockOwnerOf(path = folder): Promise<string> {
  const locking = await lockFolder(path);
  if ('lockedBy' in locking) return locking.lockedBy;
  await locking.lock.close();
  return 'nobody';
}

/** A process that holds the lock until it ends. */
async function holdElsewhere(): Promise<ChildProcess> {
  const script = `import('${LOCK_MODULE}').then((m) => m.lockFolder('${folder}')).then(() => console.log('held'));
    setInterval(() => undefined, 1_000)`;
  const { child } = startCommand([process.execPath, '-e', script]);
  await once(child.stdout as Readable, 'data');
  return child;
}

describe('the lock of a folder', () => {
  it('has one holder, by any path', async () => {
    const lock = await take();
    expect(await lockOwnerOf(`${folder}/.`)).toBe(`process ${process.pid} on ${hostname()}`);
    await lock.close();
    await (await take()).close();
  });

  it('is taken in a folder whose path is long', async () => {
    const deep = join(folder, 'a'.repeat(120), 'b'.repeat(120));
    mkdirSync(deep, { recursive: true });
    const lock = await take(deep);
    expect(await lockOwnerOf(deep)).toContain(`process ${process.pid} `);
    await lock.close();
  });

  it('is held by a process that stands still, and not by a dead one', async () => {
    const child = await holdElsewhere();
    child.kill('SIGSTOP');
    expect(await lockOwnerOf()).toBe(`process ${child.pid} on ${hostname()}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await take()).close();
  });

  it('is one file after repeated use', async () => {
    for (let turn = 0; turn < 5; turn++) await (await take()).close();
    const lock = await take();
    expect(readdirSync(folder).sort()).toEqual(FILES);
    await lock.close();
  });
});

describe('the name of the lock', () => {
  it.runIf(process.getuid?.() === 0)('V17 cannot be held by another user of the machine', async () => {
    chmodSync(folder, 0o755);
    const tryAs = async (AS_USER: string) => {
      const script = `Promise.all(['${LOCK_MODULE}', '${process.cwd()}/tests/kit/user.mjs'].map((each) => import(each)))
        .then(([lock, user]) => user.becomeUser() ?? lock.lockFolder('${folder}')).catch((e) => console.log(e.code))`;
      return (await runCommand([process.execPath, '-e', script], { env: { AS_USER } })).stdout.trim();
    };
    expect(await tryAs(NOBODY)).toBe('EACCES');
    expect(readdirSync(folder)).toEqual([]);
    await (await take()).close();
    chmodSync(folder, 0o777);
    expect(await tryAs(NOBODY)).toBe('EPERM');
  });

  it('V17 keeps two gateways from one folder where money is in PostgreSQL', async () => {
    const lock = await take();
    const starting = startTestGateway({ DATABASE_URL: 'postgres://gateway@127.0.0.1:1/gateway' }, { dataDir: folder });
    await expect(starting).rejects.toThrow(`process ${process.pid} on ${hostname()} serves from ${folder}`);
    await lock.close();
  });
});

describe('many that want the lock at once', () => {
  it.each(Array.from({ length: roundsOnEach(20) }, (_, round) => round))(
    'V17 exactly one has it at any time, through releases and kills (round %i)',
    { timeout: 60_000 },
    async () => {
      const words = node('tests/stores/lock-contender.mjs', folder, '25');
      const ends = await Promise.all(Array.from({ length: CONTENDERS }, () => runCommand(words)));
      expect(ends).toEqual(Array(CONTENDERS).fill({ code: null, stdout: '', stderr: '' }));
      await (await take()).close();
      expect(readdirSync(folder).sort()).toEqual(FILES);
    },
  );

  it('V17 of gateways that start at once one serves, and the others name its process', async () => {
    const start = () => startProgram({ PORT: '0', DATA_DIR: folder, TOKENS_API_KEY: 'key-of-the-upstream' });
    const programs = Array.from({ length: isFull ? 5 : 2 }, start);
    const served = await Promise.any(programs.map(({ url, child }) => url.then(() => child)));
    const others = programs.filter(({ child }) => child !== served);
    const who = `process ${served.pid} on ${hostname()}`;
    for (const { ended, stderr } of others) {
      expect(await ended).toBe(1);
      const advice = 'stop it first, or set another DATA_DIR to serve beside it. Several gateways need REDIS_URL.';
      expect(stderr()).toBe(`asset-gateway: DATA_DIR: ${who} serves from ${folder}; ${advice}\n`);
    }
  });
});
