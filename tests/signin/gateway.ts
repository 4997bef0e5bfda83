import { afterAll } from 'vitest';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { type Asker, overHttp } from './craft.ts';

/** A gateway for the tests of one file, which is stopped after them, and how it is asked. */
export async function openSignIn(): Promise<{ readonly gateway: TestGateway; readonly asker: Asker }> {
  const gateway = await startTestGateway({}, { windowMs: 3_600_000 });
  afterAll(() => gateway.stop());
  return { gateway, asker: overHttp(gateway) };
}
