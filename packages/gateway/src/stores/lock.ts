import { randomBytes } from 'node:crypto';
import { closeSync, constants, linkSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { ask, closed, listen } from './lock-socket.ts';

/** The lock of a folder, held until it is closed or its process ends. */
export interface FolderLock {
  close(): Promise<void>;
}

/** The lock, or who has it. */
export type Locking = { readonly lock: FolderLock } | { readonly holder: string };

const NAME = 'gateway.lock';
const NUMBERED = /^gateway\.lock(?:\.([1-9]\d{0,14}))?$/;
const NEW = `${NAME}.new-`;
const MAX_ROUNDS = 1_000;

const nameOf = (number: number): string => (number === 0 ? NAME : `${NAME}.${number}`);

/** The numbers of the sockets that are in a folder. */
function numbersIn(folder: string): number[] {
  const matches = readdirSync(folder).map((name) => NUMBERED.exec(name));
  return matches.filter((match) => match !== null).map(([, number = '0']) => Number(number));
}

const highestIn = (folder: string): number => Math.max(-1, ...numbersIn(folder));

/** Links a socket that listens already; no when another one has that name. */
function link(made: string, target: string): boolean {
  try {
    linkSync(made, target);
    return true;
  } catch (error) {
    // Somebody was quicker, or has the lock and has tidied up.
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    rmSync(made, { force: true });
  }
}

/** Puts a socket under a number, if nobody else has that or a higher one. */
export async function claim(folder: string, number: number): Promise<Server | undefined> {
  const made = join(folder, NEW + randomBytes(6).toString('hex'));
  const server = await listen(made);
  if (!server) return undefined;
  try {
    if (link(made, join(folder, nameOf(number))) && highestIn(folder) === number) return server;
  } catch (error) {
    await closed(server);
    throw error;
  }
  await closed(server);
  return undefined;
}

/** Removes what is left of others, but for the predecessor: who reads the folder at this moment always meets a socket. */
function tidy(folder: string, own: number): void {
  const old = numbersIn(folder).filter((number) => number < own - 1);
  const unfinished = readdirSync(folder).filter((name) => name.startsWith(NEW));
  for (const name of [...old.map(nameOf), ...unfinished]) rmSync(join(folder, name), { force: true });
}

/**
 * The lock is the socket with the highest number. Nobody removes that one: when it is dead its successor takes the next number,
 * and linking lets one of several have it. A socket listens before it has a number, so none is taken for dead while it is
 * made. Whoever was so slow that its number is not the highest when it gets it has lost.
 */
async function lockBySocket(folder: string): Promise<Locking> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const highest = highestIn(folder);
    const asked = highest < 0 ? 'dead' : await ask(join(folder, nameOf(highest)));
    if (typeof asked === 'object') return asked;
    const server = asked === 'dead' ? await claim(folder, highest + 1) : undefined;
    if (!server) continue;
    tidy(folder, highest + 1);
    return { lock: { close: () => closed(server) } };
  }
  throw new Error('the lock changes hands all the time');
}

/** A name that the kernel frees with its process. */
async function lockByPipe(folder: string): Promise<Locking> {
  const { dev, ino } = statSync(folder);
  const address = `\\\\?\\pipe\\asset-gateway-${dev}-${ino}`;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const server = await listen(address);
    if (server) return { lock: { close: () => closed(server) } };
    const asked = await ask(address);
    if (typeof asked === 'object') return asked;
  }
  throw new Error('the lock changes hands all the time');
}

/**
 * Takes the lock of a folder, so that one process at a time serves from it. Only who may write into the folder can have it, and
 * containers that share the folder see each other's.
 */
export async function lockFolder(folder: string): Promise<Locking> {
  if (process.platform === 'win32') return lockByPipe(folder);
  if (process.platform !== 'linux') return lockBySocket(folder);
  const descriptor = openSync(folder, constants.O_DIRECTORY);
  try {
    // The address of a socket is short; a descriptor's path is, whatever the folder's.
    return await lockBySocket(`/proc/self/fd/${descriptor}`);
  } finally {
    closeSync(descriptor);
  }
}
