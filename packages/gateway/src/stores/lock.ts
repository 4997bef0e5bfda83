import { rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The lock of a folder; released by closing it, or by the end of its process. */
export type FolderLock = Server;

/** Named by device and inode, so that every path to a folder leads to one lock. Linux needs no file for it. */
function addressOf(folder: string): string {
  const { dev, ino } = statSync(folder);
  const name = `asset-gateway-${dev}-${ino}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\?\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

function listen(address: string): Promise<FolderLock | undefined> {
  return new Promise((resolve, reject) => {
    const lock = createServer((socket) => socket.destroy());
    lock.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    lock.listen(address, () => resolve(lock));
    lock.unref();
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.unref();
  });
}

/**
 * Takes the lock of a folder, so that one process at a time serves from it; nothing when another one holds it.
 * It is a listening local socket. Where sockets are files, one that a dead process left behind is removed.
 */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const address = addressOf(folder);
  const lock = await listen(address);
  if (lock || !address.startsWith('/') || (await answers(address))) return lock;
  rmSync(address, { force: true });
  return listen(address);
}
