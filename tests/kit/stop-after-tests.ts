import { afterAll } from 'vitest';

/** Waits for a gateway to start, and stops it after the tests of the file. */
export async function stopAfterTests<Gateway extends { stop(): Promise<unknown> }>(
  starting: Promise<Gateway>,
): Promise<Gateway> {
  const gateway = await starting;
  afterAll(() => gateway.stop());
  return gateway;
}

/** A start that stops all that it has started after the tests of the file. */
export function stoppedAfterTests<Options extends unknown[], Started extends { stop(): Promise<unknown> }>(
  start: (...options: Options) => Promise<Started>,
): (...options: Options) => Promise<Started> {
  const started: Started[] = [];
  afterAll(() => Promise.all(started.map((each) => each.stop())));
  return async (...options) => {
    const one = await start(...options);
    started.push(one);
    return one;
  };
}
