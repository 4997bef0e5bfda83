const LONGEST_DESCRIPTION = 160;

/** The first paragraph of a page as one line of text, cut at a word. */
export function descriptionOf(tokens) {
  const at = tokens.findIndex(({ type }) => type === 'paragraph_open');
  const children = tokens[at + 1]?.children ?? [];
  const text = children.map(({ content, type }) => (type === 'softbreak' ? ' ' : content)).join('');
  if (text.length <= LONGEST_DESCRIPTION) return text;
  return `${text.slice(0, LONGEST_DESCRIPTION - 1).replace(/\s+\S*$/, '')}…`;
}

/**
 * What search engines and chats show of a page.
 * @param homepage the site's address, if package.json has one: a canonical address needs it, and some readers load only whole addresses
 * of pictures
 */
export function headOf({ title, description, output }, { homepage, root }) {
  const base = homepage?.replace(/\/?$/, '/');
  return {
    title:
      output === 'index.html'
        ? `Asset gateway: ${title.charAt(0).toLowerCase()}${title.slice(1)}`
        : `${title} · Asset gateway`,
    description: description || title,
    picture: `${base ?? root}share.png`,
    canonical: base && base + output.replace(/(^|\/)index\.html$/, '$1'),
  };
}
