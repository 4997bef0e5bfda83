import { closeSync, constants, openSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** The lock of a folder, held until it is closed or its process ends. */
export interface FolderLock {
  close(): Promise<void>;
}

const FILE = 'gateway.lock';

function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => resolve(server));
    server.unref();
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** A socket in the folder is seen from every container that shares it; one that a dead process left is replaced. */
async function lockByFile(folder: string): Promise<Server | undefined> {
  const descriptor = process.platform === 'linux' ? openSync(folder, constants.O_DIRECTORY) : undefined;
  // The address of a socket is short; a descriptor's path is, whatever the folder's.
  const address = join(descriptor === undefined ? folder : `/proc/self/fd/${descriptor}`, FILE);
  try {
    const lock = await listen(address);
    if (lock || (await answers(address))) return lock;
    rmSync(address, { force: true });
    return await listen(address);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** A name that the kernel frees with its process, so that of two that start at once exactly one gets it. */
function lockByName(folder: string): Promise<Server | undefined> {
  const { dev, ino } = statSync(folder);
  const name = `asset-gateway-${dev}-${ino}`;
  return listen(process.platform === 'win32' ? `\\\\?\\pipe\\${name}` : `\0${name}`);
}

const closed = (server: Server | undefined): Promise<void> =>
  new Promise((resolve) => (server ? server.close(() => resolve()) : resolve()));

/** Takes the lock of a folder, so that one process at a time serves from it; nothing when another one holds it. */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const named = process.platform === 'darwin' ? undefined : await lockByName(folder);
  if (process.platform === 'win32') return named && { close: () => closed(named) };
  if (process.platform === 'linux' && !named) return undefined;
  const file = await lockByFile(folder);
  const close = async () => {
    await Promise.all([closed(named), closed(file)]);
  };
  if (!file) await close();
  return file && { close };
}
