import { afterEach, expect, it } from 'vitest';
import { runService } from '../../packages/gateway/src/run.ts';

type Running = Awaited<ReturnType<Parameters<typeof runService>[0]>>;

const EVENTS = ['unhandledRejection', 'SIGTERM', 'SIGINT'] as const;
const listeners = EVENTS.map((event) => process.rawListeners(event));
afterEach(() => {
  for (const [index, event] of EVENTS.entries()) {
    process.removeAllListeners(event);
    for (const listener of listeners[index] ?? []) process.on(event, listener as () => void);
  }
});

it('an unhandled rejection while a service starts is logged once it runs, and the service goes on', async () => {
  process.removeAllListeners('unhandledRejection');
  const failures: unknown[] = [];
  let begin = (_: Running) => {};
  const running = runService(() => new Promise((resolve) => (begin = resolve)));
  const error = new Error('of a library');
  expect(process.emit('unhandledRejection', error, Promise.resolve())).toBe(true);
  begin({ log: { failure: (each) => void failures.push(each) }, stop: async () => undefined });
  await running;
  expect(failures).toEqual([error]);
});
