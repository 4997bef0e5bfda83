import { linkSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeOnce } from '../../packages/cli/src/money/durable.ts';
import { makeFolder } from '../kit/folder.ts';

it('W19 a wallet survives a second process with the same id, such as in another container', () => {
  const folder = makeFolder();
  const wallet = join(folder, 'wallet.json');
  writeOnce(wallet, 'first');
  // The first process has not yet removed the other name of its file.
  linkSync(wallet, `${wallet}.${process.pid}.draft`);
  writeOnce(wallet, 'second');
  expect([readFileSync(wallet, 'utf8'), readdirSync(folder).length]).toEqual(['first', 2]);
});
