import { readdirSync } from 'node:fs';
import { beforeAll, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { suiteInCi } from '../kit/optional.ts';
import { compileAll } from '../process/program.ts';
import { Reader } from './reader.ts';

const FOLDER = 'docs/tutorials';
const pages = readdirSync(FOLDER).filter((name) => name.endsWith('.md'));

suiteInCi('a reader who follows the tutorial', { timeout: 120_000 }, () => {
  beforeAll(compileAll, 120_000);

  it.each(pages)('%s sees what it shows', async (name) => {
    const reader = new Reader(await freePort());
    try {
      await reader.follow(`${FOLDER}/${name}`);
    } finally {
      await reader.close();
    }
  });
});
