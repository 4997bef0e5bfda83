import { posix } from 'node:path';

const WITH_SCHEME = /^[a-z][a-z\d+.-]*:/i;

/** What leads from one file of the site to another one, wherever the site lies. */
export const relativeUrl = (from, to) => posix.relative(posix.dirname(from), to);

/** The address of the repository for a browser, or undefined where its package.json names none. */
export function repositoryOf({ repository }) {
  const named = typeof repository === 'string' ? repository : repository?.url;
  const address = named?.replace(/^github:|^(?=[\w-]+\/[\w.-]+$)/, 'https://github.com/');
  return address?.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** The file or folder of the repository that a link of a page names, or undefined where it leads out of it or stays on the page. */
export function targetOf(href, { source }) {
  if (WITH_SCHEME.test(href) || href.startsWith('#')) return undefined;
  const [path = ''] = href.split('#');
  return posix.normalize(posix.join(posix.dirname(source), decodeURI(path))).replace(/\/$/, '');
}

/**
 * Where a link or picture of a page leads in the site.
 * @param href as the page of the repository has it
 * @param page `source`, its file in the repository, and `output`, its path in the site
 * @param site `outputs`, the paths in the site by the files they are made of; `exists`, whether the repository has a file or
 *   folder; `repository`, its address, if there is one
 * @returns the new address; undefined for a file of a repository that has none
 * @throws where nothing is there, with the page and the link
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
