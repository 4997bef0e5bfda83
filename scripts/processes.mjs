import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What the kernel says of a process, or undefined if it has ended. Its start tells it from a later one with the same id. */
function read(id) {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1');
    const [state, parent, ...others] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { id: Number(id), parent: Number(parent), start: others[17] };
  } catch {
    return undefined;
  }
}

/** The running processes of this machine by id; none where there is no /proc. */
export function readProcesses() {
  const ids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return new Map(ids.map((id) => [Number(id), read(id)]).filter(([, found]) => found));
}

/** The words that started a process, or the title that it has given itself. */
export function titleOf(id) {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** The processes that these have started, and those that they have started in turn. */
export function descendantsOf(ids, processes = readProcesses()) {
  const all = [...processes.values()];
  const children = all.filter(({ id, parent }) => ids.includes(parent) && !ids.includes(id));
  if (children.length === 0) return [];
  return [...children, ...descendantsOf([...ids, ...children.map(({ id }) => id)], processes)];
}
