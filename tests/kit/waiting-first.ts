import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long and mostly wait, the longest first. Files with the browser are apart from each other. */
const WAITING = [
  'payments/kills.full',
  'console/wallet.full',
  'process/bundle.full',
  'tutorials/tutorials.full',
  'payments/lagging-node.full',
  'redis/purchases.full',
  'survival/storm.full',
  'traces/collector.full',
  'credit/two-gateways.full',
  'deploy/proxy.full',
  'console/operate.full',
  'budget/shares-hour.full',
  'postgres/outages.full',
  'console/try.full',
  'doctor/faults',
  'cache/waiting-room.full',
  'redis/rotation.full',
  'redis/errors.full',
  'redis/processes.full',
  'cache/economy.full',
  'cache/shared-calls.full',
  'payments/facilitator.full',
  'payments/records',
  'payments/verification.full',
  'credit/history.full',
  'stores/full-disk.full',
  'redis/cache.full',
  'measure/measure.full',
  'process/ends.full',
  'blocked/payments.full',
  'credit/broadcast.full',
].map((name) => `tests/${name}.test.ts`);

for (const path of WAITING) if (!existsSync(path)) throw new Error(`tests/kit/waiting-first.ts names ${path}`);

const placeOf = ({ moduleId }: TestSpecification): number => WAITING.findIndex((path) => moduleId.endsWith(path));

/** How many computing files start with each waiting file. */
const BESIDE = 2;

/** Starts early with files that wait, and with others that compute meanwhile. At the end, the run would wait for them. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waiting = sorted.filter((file) => placeOf(file) >= 0).sort((one, other) => placeOf(one) - placeOf(other));
    const others = sorted.filter((file) => placeOf(file) < 0);
    const begun = waiting.flatMap((file) => [file, ...others.splice(0, BESIDE)]);
    return [...begun, ...others];
  }
}
