import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { searchIndexOf } from './outline.mjs';
import { lostPage, readSite, surroundingsOf } from './pages.mjs';

const OUTPUT = 'site/dist';

function write(path, text) {
  const file = join(OUTPUT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Builds the pages from the repository's Markdown. Run it from the repository's root. */
export default function configure(eleventy) {
  const site = readSite();
  eleventy.setLibrary('md', site.markdown);
  const pages = site.pages.map((page) => ({ ...page, ...surroundingsOf(page, site) }));
  for (const page of [...pages, lostPage(site)]) {
    const data = { layout: 'page.njk', permalink: page.output, ...page };
    eleventy.addTemplate(`${page.output.slice(0, -'.html'.length)}.md`, page.text, data);
  }
  eleventy.addPassthroughCopy({
    'site/assets': '.',
    'site/node_modules/minisearch/dist/umd/index.js': 'minisearch.js',
  });
  for (const { source, output } of site.pictures) eleventy.addPassthroughCopy({ [source]: output });
  eleventy.on('eleventy.after', () => {
    for (const { output, svg } of site.diagrams.values()) write(output, svg);
    write('search-index.js', searchIndexOf(site.pages));
  });
  return {
    dir: { input: 'site', includes: 'layout', output: OUTPUT },
    templateFormats: ['md'],
    // The documentation contains braces but no templates.
    markdownTemplateEngine: false,
  };
}
