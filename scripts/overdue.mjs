import { readProcesses, titleOf } from './processes.mjs';

const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 5_000;

/** Longer than any test file takes on a busy machine; files that are meant to run longer do so with ROUNDS=full. */
const LIMIT_MS = (process.env.ROUNDS === 'full' ? 180 : 4) * MINUTE_MS;

/** For this long no file has started or ended, so all other workers are done. */
const QUIET_MS = 1.5 * MINUTE_MS;

/** Process ids of the workers; a looping one must be killed. */
function workerIds() {
  const isWorker = ({ id, parent }) => parent === process.pid && titleOf(id).includes('vitest');
  return [...readProcesses().values()].filter(isWorker).map(({ id }) => id);
}

/**
 * Vitest's own time-outs cannot end a test that blocks its process. When only such files are left, this names them and kills the
 * workers, so that the run ends and fails.
 */
export default class OverdueReporter {
  #timer;
  #sinceMs = new Map();
  #changedMs = 0;

  onTestRunStart() {
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

  onTestRunEnd() {
    clearInterval(this.#timer);
  }

  #look() {
    const now = performance.now();
    const overdue = [...this.#sinceMs].filter(([, sinceMs]) => now - sinceMs > LIMIT_MS).map(([name]) => name);
    if (overdue.length === 0 || now - this.#changedMs < QUIET_MS) return;
    clearInterval(this.#timer);
    process.stdout.write(`Not ended after ${LIMIT_MS / MINUTE_MS} minutes: ${overdue.join(', ')}\n`);
    for (const id of workerIds()) process.kill(id, 'SIGKILL');
  }
}
