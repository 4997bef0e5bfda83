import { readdirSync } from 'node:fs';
import { beforeAll, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { suiteInCi, suiteWith, testInCi } from '../kit/optional.ts';
import { compileAll } from '../process/program.ts';
import { cloneInto } from './clone.ts';
import { Reader } from './reader.ts';

const FOLDER = 'docs/tutorials';
const IN_A_CLONE = 'contributor.md';
const pages = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== IN_A_CLONE);

async function follow(name: string, prepare: (folder: string) => void = () => undefined): Promise<void> {
  const reader = new Reader(await freePort());
  try {
    prepare(reader.folder);
    await reader.follow(`${FOLDER}/${name}`);
  } finally {
    await reader.close();
  }
}

suiteInCi('a reader who follows the tutorial', { timeout: 120_000 }, () => {
  beforeAll(compileAll, 120_000);
  it.each(pages)('%s sees what it shows', (name) => follow(name));
});

suiteWith('git', 'a reader in a clone', () =>
  testInCi(`who follows ${IN_A_CLONE} sees what it shows`, { timeout: 240_000 }, () => follow(IN_A_CLONE, cloneInto)),
);
