import { posix } from 'node:path';

const WITH_SCHEME = /^[a-z][a-z\d+.-]*:/i;

/** The relative URL from one file of the site to another. */
export const relativeUrl = (from, to) => posix.relative(posix.dirname(from), to);

/**
 * The repository's address for a browser, or undefined if package.json has none.
 * @param {{ readonly repository?: string | { readonly url?: string } }} manifest
 */
export function repositoryOf({ repository }) {
  const named = typeof repository === 'string' ? repository : repository?.url;
  const address = named?.replace(/^github:|^(?=[\w-]+\/[\w.-]+$)/, 'https://github.com/');
  return address?.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** The file or folder of the repository that a link names, or undefined for external links and links within the page. */
export function targetOf(href, { source }) {
  if (WITH_SCHEME.test(href) || href.startsWith('#')) return undefined;
  const [path = ''] = href.split('#');
  return posix.normalize(posix.join(posix.dirname(source), decodeURI(path))).replace(/\/$/, '');
}

/**
 * The address of a link or picture in the site.
 * @param href as in the repository
 * @param page `source`, its file in the repository, and `output`, its path in the site
 * @param site `outputs`, paths in the site by file; `exists`, whether the repository has a file or folder; `repository`, its address,
 *   if any
 * @returns undefined for a file that is not in the site, if the repository has no address
 * @throws for a broken link, with the page and the link
 */
export function resolveLink(href, page, { outputs, exists, repository }) {
  const target = targetOf(href, page);
  if (target === undefined) return href;
  const [, anchor] = href.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const output = outputs.get(target);
  if (output !== undefined) return relativeUrl(page.output, output) + hash;
  if (!exists(target)) throw new Error(`${page.source} links to ${href}, and there is no ${target}`);
  return repository && `${repository}/blob/HEAD/${encodeURI(target)}${hash}`;
}
