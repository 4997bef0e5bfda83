import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

type Ends = { stop(): Promise<unknown> } | { close(): Promise<unknown> } | { drop(): Promise<unknown> };

const end = (started: Ends): Promise<unknown> => {
  if ('stop' in started) return started.stop();
  return 'close' in started ? started.close() : started.drop();
};

type Hooks = readonly [before: typeof beforeAll | typeof beforeEach, after: typeof afterAll | typeof afterEach];

/** Stands for what the last start has returned. */
function register<Started extends Ends>(start: () => Promise<Started>, [before, after]: Hooks): Started {
  let current: Started | undefined;
  before(async () => {
    current = await start();
  }, 120_000);
  after(async () => {
    if (current) await end(current);
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

/** Starts something before the tests of a suite and ends it after them; what was started last ends first. */
export const inSuite = <Started extends Ends>(start: () => Promise<Started>): Started =>
  register(start, [beforeAll, afterAll]);

/** The same for each test. */
export const inEachTest = <Started extends Ends>(start: () => Promise<Started>): Started =>
  register(start, [beforeEach, afterEach]);
