import { readSite, surroundingsOf } from './pages.mjs';

/** Builds the pages from the repository's Markdown. Run it from the repository's root. */
export default function configure(eleventy) {
  const site = readSite();
  eleventy.setLibrary('md', site.markdown);
  for (const page of site.pages) {
    const { source, output, title, text } = page;
    const data = { layout: 'page.njk', permalink: output, source, output, title, ...surroundingsOf(page, site) };
    eleventy.addTemplate(`${output.slice(0, -'.html'.length)}.md`, text, data);
  }
  eleventy.addPassthroughCopy({ 'site/style.css': 'style.css' });
  for (const { source, output } of site.pictures) eleventy.addPassthroughCopy({ [source]: output });
  return {
    dir: { input: 'site', includes: 'layout', output: 'site/dist' },
    templateFormats: ['md'],
    // The documentation contains braces but no templates.
    markdownTemplateEngine: false,
  };
}
