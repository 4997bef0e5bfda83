import { afterAll, beforeAll } from 'vitest';
import { EmbeddedBooks } from '../../packages/gateway/src/sales/embedded-books.ts';
import { readDatabase } from '../../packages/gateway/src/stores/database.ts';
import { compileGateway } from '../process/program.ts';
import { expectOnePerTransfer } from '../sales/one-entry.ts';
import { openStreet, type Street } from './fault-process.ts';
import { expectServedOnce, killedAfter, type Story } from './fault-story.ts';

/**
 * For a suite: kills a gateway with a folder after a step, and judges what came of the payment: one transfer, one entry in
 * the journal and one answer.
 */
export function useKills(): (step: string) => Promise<Story> {
  let street: Street;
  let root: ReturnType<typeof readDatabase> | undefined;
  beforeAll(async () => {
    await compileGateway();
    street = await openStreet();
  });
  afterAll(async () => {
    await root?.close();
    await street.close();
  });
  return async (step) => {
    const story = await killedAfter(step, street);
    expectServedOnce(story);
    root ??= readDatabase(street.folder);
    await expectOnePerTransfer(new EmbeddedBooks(root), street);
    return story;
  };
}
