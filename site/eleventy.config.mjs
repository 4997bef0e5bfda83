import { readSite, surroundingsOf } from './pages.mjs';

/** Makes the pages of the Markdown in the repository, from whose root it has to be run. */
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
    // The documentation has braces of its own, and no templates.
    markdownTemplateEngine: false,
  };
}
