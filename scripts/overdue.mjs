import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';

/** The files that a run has not ended, as a list of names. */
export const UNFINISHED = '.setup/unfinished.json';

const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 5_000;

/** Longer than any file of tests takes on a busy machine; those that run for long by intent do so with ROUNDS=full. */
const LIMIT_MS = (process.env.ROUNDS === 'full' ? 180 : 4) * MINUTE_MS;

/** So long nothing begins and nothing ends where all other workers are done. */
const QUIET_MS = 1.5 * MINUTE_MS;

/** The workers' process ids: one that loops cannot be asked to end. */
function workerIds() {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const processes = rows.map((row) => row.trim().split(/\s+/));
  const isWorker = ([, parent, ...command]) => Number(parent) === process.pid && command.join(' ').includes('vitest');
  return processes.filter(isWorker).map(([id]) => Number(id));
}

/**
 * Vitest's own limits cannot end a test that never lets go of its process. When only such files are left, this names them, kills
 * the workers, and leaves behind which files have not been run to their end.
 */
export default class OverdueReporter {
  #timer;
  #sinceMs = new Map();
  #changedMs = 0;
  #isKilled = false;

  onTestRunStart() {
    rmSync(UNFINISHED, { force: true });
    this.#changedMs = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  onTestModuleQueued({ moduleId }) {
    this.#changedMs = performance.now();
    this.#sinceMs.set(moduleId, this.#changedMs);
  }

  onTestModuleEnd({ moduleId }) {
    this.#changedMs = performance.now();
    this.#sinceMs.delete(moduleId);
  }

  onTestRunEnd(modules) {
    clearInterval(this.#timer);
    if (!this.#isKilled) return;
    const isOver = (module) => ['passed', 'failed', 'skipped'].includes(module.state());
    const names = modules.filter((module) => this.#sinceMs.has(module.moduleId) || !isOver(module));
    writeFileSync(UNFINISHED, JSON.stringify(names.map(({ moduleId }) => moduleId)));
  }

  #look() {
    const now = performance.now();
    const overdue = [...this.#sinceMs].filter(([, sinceMs]) => now - sinceMs > LIMIT_MS).map(([name]) => name);
    if (overdue.length === 0 || now - this.#changedMs < QUIET_MS) return;
    clearInterval(this.#timer);
    this.#isKilled = true;
    process.stdout.write(`Not ended after ${LIMIT_MS / MINUTE_MS} minutes: ${overdue.join(', ')}\n`);
    for (const id of workerIds()) process.kill(id, 'SIGKILL');
  }
}
