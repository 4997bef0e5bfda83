import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long and mostly wait. */
const WAITING = [
  'cache/recovery',
  'console/operate',
  'console/try-trouble',
  'http/slow-reader',
  'measure/worst',
  'payments/attack-fees',
  'payments/facilitator',
  'payments/facilitator-again',
  'payments/kills',
  'payments/unknown',
  'postgres/failover',
  'postgres/outages',
  'postgres/pgbouncer',
  'redis/cache',
  'redis/purchases',
].map((name) => `tests/${name}.test.ts`);

const isWaiting = ({ moduleId }: TestSpecification): boolean => WAITING.some((path) => moduleId.endsWith(path));

/** How many computing files begin with each of those. */
const BESIDE = 2;

/** Begins early with the files that wait, and with others that compute meanwhile; left for the end they would be waited for. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const others = sorted.filter((file) => !isWaiting(file));
    const begun = sorted.filter(isWaiting).flatMap((file) => [file, ...others.splice(0, BESIDE)]);
    return [...begun, ...others];
  }
}
