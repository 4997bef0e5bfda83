import { ListFault, type ListFile, readListFile } from '../blocked/file.ts';
import type { Reader } from './settings.ts';

const NAME = 'BLOCKED_FILE';

/** Notice: behind a proxy, client addresses are known only with TRUST_PROXY. */
export const WITHOUT_CLIENTS = `${NAME} lists addresses without TRUST_PROXY: TLS ends in front of the gateway, so all clients have the proxy's address`;

/** The block list; undefined if none is configured. */
export function readBlocked(read: Reader): ListFile | undefined {
  const path = read.optional(NAME);
  if (path === undefined) return undefined;
  try {
    return readListFile(path);
  } catch (error) {
    if (!(error instanceof ListFault)) throw error;
    read.faults.push(`${NAME}: ${error.message}.`);
    return undefined;
  }
}
