import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * A running process. `start` tells it from a later one with the same id.
 * @typedef {{ readonly id: number, readonly parent: number, readonly start: string }} Running
 */

/**
 * What the kernel says of a process; undefined if it has ended.
 * @param {string} id
 * @returns {Running | undefined}
 */
function read(id) {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1');
    const [state, parent, ...others] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { id: Number(id), parent: Number(parent), start: others[17] };
  } catch {
    return undefined;
  }
}

/**
 * The running processes of this machine by id; none where there is no /proc.
 * @returns {Map<number, Running>}
 */
export function readProcesses() {
  const ids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  const found = ids.map(read).filter((each) => each !== undefined);
  return new Map(found.map((each) => [each.id, each]));
}

/**
 * The words that started a process, or the title that it has given itself.
 * @param {number} id
 */
export function titleOf(id) {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * The processes that these have started, and those that they have started in turn.
 * @param {readonly number[]} ids
 * @returns {Running[]}
 */
export function descendantsOf(ids, processes = readProcesses()) {
  const all = [...processes.values()];
  const children = all.filter(({ id, parent }) => ids.includes(parent) && !ids.includes(id));
  if (children.length === 0) return [];
  return [...children, ...descendantsOf([...ids, ...children.map(({ id }) => id)], processes)];
}
