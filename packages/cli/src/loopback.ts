import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from './failure.ts';

const HOST = '127.0.0.1';
const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 30_000;
const PORT = /^\d{1,5}$/;

/** Parses a port. `name`: the option. */
export function portIn(text: string, name: string): number {
  const port = Number(text);
  if (!PORT.test(text) || port > 65_535) throw new UsageError(`${name} takes a port`);
  return port;
}

/** Serves programs on this machine until a signal. `listening` gets the origin. */
export async function serveHere(server: Server, port: number, listening: (origin: string) => void): Promise<void> {
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await once(server.listen(port, HOST), 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new UsageError(`port ${port} is in use; choose another one`);
  });
  listening(`http://${HOST}:${(server.address() as AddressInfo).port}`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
