const textOf = ({ children }) => children.map(({ content, type }) => (type === 'softbreak' ? ' ' : content)).join('');

/** The sections of a page, each with the id and the title of its heading and its text; the first is that of the page's title. */
export function sectionsOf(tokens) {
  const sections = [];
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open') {
      const id = token.tag === 'h1' ? '' : token.attrGet('id');
      sections.push({ id, title: textOf(tokens[at + 1]), text: [] });
    }
    const isHeading = tokens[at - 1]?.type === 'heading_open';
    if (token.type === 'inline' && !isHeading) sections.at(-1)?.text.push(textOf(token));
    if (token.type === 'fence' && token.info !== 'mermaid') sections.at(-1)?.text.push(token.content.trim());
  });
  return sections.map((section) => ({ ...section, text: section.text.join(' ') }));
}

/** A script that hands the sections of all pages to `assets/search.js`. A script also loads from disk, where `fetch` does not. */
export function searchIndexOf(pages) {
  const sections = pages.flatMap(({ title: page, group, output, sections: all }) =>
    all.map(({ id, title, text }) => ({ title, page, group, url: id ? `${output}#${id}` : output, text })),
  );
  return `globalThis.searchSections = ${JSON.stringify(sections)};\n`;
}
