import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../architecture/rules.ts';
import { blocksIn } from '../tutorials/reader.ts';

const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);

const pages = ['README.md', ...namesIn('docs').filter((name) => name.endsWith('.md'))];
const files = namesIn('examples').filter((name) => name !== 'examples/README.md');

/** What the pages show of each example: the blocks that name it, one after the other. */
const shown = pages.flatMap((page) => {
  const blocks = blocksIn(readFileSync(page, 'utf8')).filter(({ word }) => word.startsWith('examples/'));
  return [...new Set(blocks.map(({ word }) => word))].map((file) => {
    const parts = blocks.filter(({ word }) => word === file);
    return { page, file, text: parts.map(({ text }) => text).join('\n') };
  });
});

describe('the examples', () => {
  it.each(files)('%s is shown or linked by a page', (file) => {
    const isLinked = pages.some((page) => readFileSync(page, 'utf8').includes(`../${file})`));
    expect(isLinked || shown.some((each) => each.file === file)).toBe(true);
  });

  it.each(shown)('$page shows $file unchanged', ({ file, text }) => {
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  it.each(files)('%s is in the list of examples', (file) => {
    expect(readFileSync('examples/README.md', 'utf8')).toContain(basename(file));
  });

  it('import only packages of an installed clone', () => {
    const { devDependencies, workspaces } = JSON.parse(readFileSync('package.json', 'utf8'));
    const ours = workspaces.map((folder: string) => `@asset-gateway/${basename(folder)}`);
    const imported = files
      .filter((file) => file.endsWith('.mjs'))
      .flatMap((path) => importsOf({ path, text: readFileSync(path, 'utf8') }))
      .filter((specifier) => !isBuiltin(specifier))
      .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0]);
    expect(imported.length).toBeGreaterThan(10);
    expect([...Object.keys(devDependencies), ...ours]).toEqual(expect.arrayContaining([...new Set(imported)]));
  });
});
