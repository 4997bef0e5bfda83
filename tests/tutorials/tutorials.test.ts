import { readdirSync } from 'node:fs';
import { beforeAll, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { suiteInCi, suiteWith, testInCi } from '../kit/optional.ts';
import { compileAll } from '../process/program.ts';
import { cloneInto } from './clone.ts';
import { Reader } from './reader.ts';

const FOLDER = 'docs/tutorials';
const OTHERS = ['docs/own-apis.md'];
const IN_A_CLONE = 'contributor.md';
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== IN_A_CLONE);
const pages = [...names.map((name) => `${FOLDER}/${name}`), ...OTHERS];

async function follow(page: string, prepare: (folder: string) => void = () => undefined): Promise<void> {
  const reader = new Reader(await freePort());
  try {
    prepare(reader.folder);
    await reader.follow(page);
  } finally {
    await reader.close();
  }
}

suiteInCi('a reader who follows the tutorial', { timeout: 120_000 }, () => {
  beforeAll(compileAll, 120_000);
  it.each(pages)('%s sees what it shows', (page) => follow(page));
});

suiteWith('git', 'a reader in a clone', () =>
  testInCi(`who follows ${IN_A_CLONE} sees what it shows`, { timeout: 240_000 }, () =>
    follow(`${FOLDER}/${IN_A_CLONE}`, cloneInto),
  ),
);
