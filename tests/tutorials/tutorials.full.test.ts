import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteWith } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { makeRepository } from './clone.ts';
import { Reader } from './reader.ts';

const FOLDER = 'docs/tutorials';
const CONTRIBUTOR = `${FOLDER}/contributor.md`;
const tutorials = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map((name) => `${FOLDER}/${name}`);
const pages = [...tutorials.filter((page) => page !== CONTRIBUTOR), 'docs/own-apis.md'];

const repository = makeFolder();

async function useReader(script: string, use: (reader: Reader) => Promise<void>): Promise<void> {
  const reader = new Reader({ firstPort: await freePort(), script, repository });
  try {
    await use(reader);
  } finally {
    await reader.close();
  }
}

suiteWith('git', 'with a clone', () => {
  suiteWith('script', 'at a terminal', (script) => {
    describe('a reader who follows the tutorial', { timeout: 600_000 }, () => {
      beforeAll(() => makeRepository(repository));

      it.each(pages)('%s shows true outputs', (page) => useReader(script, (reader) => reader.follow(page)));

      it.runIf(isFull)(`${CONTRIBUTOR} shows true outputs`, () =>
        useReader(script, (reader) => reader.follow(CONTRIBUTOR)),
      );
    });
  });
});

it('a reader who makes the changes of the tutorial for contributors finds the lines that it shows', () =>
  useReader('script', (reader) => {
    for (const path of ['packages/protocol/src', 'packages/sandbox/src'])
      cpSync(path, join(reader.folder, path), { recursive: true });
    return reader.follow(CONTRIBUTOR, { withCommands: false });
  }));
