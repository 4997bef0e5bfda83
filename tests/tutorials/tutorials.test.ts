import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { suiteInCi, suiteWith } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { compileAll } from '../process/program.ts';
import { cloneInto } from './clone.ts';
import { Reader } from './reader.ts';

const FOLDER = 'docs/tutorials';
const OTHERS = ['docs/own-apis.md'];
const IN_A_CLONE = 'contributor.md';
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== IN_A_CLONE);
const pages = [...names.map((name) => `${FOLDER}/${name}`), ...OTHERS];

async function useReader(use: (reader: Reader) => Promise<void>): Promise<void> {
  const reader = new Reader(await freePort());
  try {
    await use(reader);
  } finally {
    await reader.close();
  }
}

suiteInCi('a reader who follows the tutorial', { timeout: 120_000 }, () => {
  beforeAll(compileAll, 120_000);
  it.each(pages)('%s sees what it shows', (page) => useReader((reader) => reader.follow(page)));
});

suiteWith('git', 'a reader in a clone', () => {
  it.runIf(isFull)(`who follows ${IN_A_CLONE} sees what it shows`, { timeout: 240_000 }, () =>
    useReader((reader) => {
      cloneInto(reader.folder);
      return reader.follow(`${FOLDER}/${IN_A_CLONE}`);
    }),
  );

  it(`who makes the changes of ${IN_A_CLONE} finds the lines that it shows`, () =>
    useReader((reader) => {
      for (const path of ['packages/protocol/src', 'packages/sandbox/src'])
        cpSync(path, join(reader.folder, path), { recursive: true });
      return reader.follow(`${FOLDER}/${IN_A_CLONE}`, { withCommands: false });
    }));
});
