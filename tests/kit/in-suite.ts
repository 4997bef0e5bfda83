import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

type Ends = Partial<Record<'stop' | 'close' | 'drop', () => Promise<unknown>>>;

const end = (started: Ends): Promise<unknown> | undefined => started.stop?.() ?? started.close?.() ?? started.drop?.();

type Hooks = readonly [before: typeof beforeAll | typeof beforeEach, after: typeof afterAll | typeof afterEach];

/** A stand-in for the result of the latest start. */
function register<Started extends object>(start: () => Promise<Started>, [before, after]: Hooks): Started {
  let current: Started | undefined;
  before(async () => {
    current = await start();
  }, 120_000);
  after(async () => {
    if (current) await end(current as Ends);
    current = undefined;
  });
  return new Proxy({} as Started, {
    get(_, name) {
      const member = Reflect.get(current ?? {}, name) as unknown;
      return typeof member === 'function' ? member.bind(current) : member;
    },
    set: (_, name, value) => Reflect.set(current ?? {}, name, value),
  });
}

/** Starts a fixture before a suite's tests and ends it after them. The last started ends first. */
export const inSuite = <Started extends object>(start: () => Promise<Started>): Started =>
  register(start, [beforeAll, afterAll]);

/** The same, for each test. */
export const inEachTest = <Started extends object>(start: () => Promise<Started>): Started =>
  register(start, [beforeEach, afterEach]);
