import { afterAll } from 'vitest';

/** Waits for a gateway to start, and stops it after the tests of the file. */
export async function stopAfterTests<Gateway extends { stop(): Promise<unknown> }>(
  starting: Promise<Gateway>,
): Promise<Gateway> {
  const gateway = await starting;
  afterAll(() => gateway.stop());
  return gateway;
}
