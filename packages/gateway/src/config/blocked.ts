import { ListFault, type ListFile, readListFile } from '../blocked/file.ts';
import type { Reader } from './settings.ts';

const NAME = 'BLOCKED_FILE';

/** Behind a proxy a client's address is known only from one that is trusted. */
export const WITHOUT_CLIENTS = `${NAME} names addresses, and TRUST_PROXY is not set: TLS ends in front of the gateway, so all callers come from one address`;

/** The list of who is not served, as it is now; nothing where there is none. */
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
