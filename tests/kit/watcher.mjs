// Ends everything that a run of the tests has started, however the run ends. run.ts starts it, with the run's folders as words. Its
// standard input closes when the run ends, after the line `over` if the run ends by itself.
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { descendantsOf, readProcesses, titleOf } from '../../scripts/processes.mjs';

const LOOK_EVERY_MS = 1_000;
/** How long PostgreSQL and others may take to end by themselves. */
const GRACE_MS = 3_000;
const run = process.ppid;
const folders = process.argv.slice(2);

/** The run and the processes that started it, up to npm. None may end before the run. */
function ownersIn(processes) {
  const owners = [];
  for (let each = processes.get(run); each && owners.length < 5; each = processes.get(each.parent)) {
    owners.push(each);
    if (titleOf(each.id).startsWith('npm')) return owners;
  }
  return owners.slice(0, 1);
}

const isIn = (processes, { id, start }) => processes.get(id)?.start === start;

/** The processes that the run has started, by id. They stay here when their parent has ended. */
const started = new Map();

function note(processes) {
  for (const [id, each] of started) if (!isIn(processes, each)) started.delete(id);
  for (const each of descendantsOf([run, ...started.keys()], processes)) started.set(each.id, each);
  started.delete(process.pid);
}

function signalAll(signal, others) {
  const processes = readProcesses();
  note(processes);
  const running = [...started.values(), ...others].filter((each) => isIn(processes, each));
  for (const { id } of running) {
    try {
      process.kill(id, signal);
    } catch {
      // The process has just ended, or belongs to another user.
    }
  }
  return running.length;
}

async function endAll(others) {
  // SIGINT lets PostgreSQL remove its shared memory.
  for (let waitedMs = 0; waitedMs < GRACE_MS && signalAll(waitedMs === 0 ? 'SIGINT' : 0, others) > 0; waitedMs += 100)
    await pause(100);
  for (let round = 0; round < 100 && signalAll('SIGKILL', others) > 0; round++) await pause(100);
}

let told = '';
let isClosed = false;
process.stdin.setEncoding('utf8').on('data', (text) => {
  told += text;
});
const closed = new Promise((resolve) => process.stdin.once('close', resolve)).then(() => {
  isClosed = true;
});

const owners = ownersIn(readProcesses());
for (;;) {
  const processes = readProcesses();
  note(processes);
  if (isClosed || !owners.every((each) => isIn(processes, each))) break;
  await Promise.race([closed, pause(LOOK_EVERY_MS)]);
}
await endAll(told === 'over' ? [] : owners.slice(0, 1));
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
process.exit();
