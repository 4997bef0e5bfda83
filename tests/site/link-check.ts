/** A page as seen by a browser. */
export interface SeenPage {
  readonly url: string;
  readonly ids: readonly string[];
  /** Where its links lead, and what it loads, as whole URLs. */
  readonly links: readonly string[];
  readonly loaded: readonly string[];
}

/**
 * Broken links and resources from elsewhere, one line each.
 * @param pages all pages of the site
 * @param files the URLs of its other files
 */
export function linkFaults(pages: readonly SeenPage[], files: readonly string[]): string[] {
  const idsOf = new Map(pages.map(({ url, ids }) => [url, new Set(ids)]));
  const isThere = (url: string): boolean => idsOf.has(url) || files.includes(url);
  const origins = new Set(pages.map(({ url }) => new URL(url).origin));
  const faultOf = (link: string): string | undefined => {
    const { origin, protocol, hash } = new URL(link);
    if (!origins.has(origin)) return protocol === 'https:' ? undefined : 'is no https address';
    const [address = ''] = link.split('#');
    if (!isThere(address)) return 'leads nowhere';
    return hash === '' || idsOf.get(address)?.has(decodeURIComponent(hash.slice(1))) ? undefined : 'has no such anchor';
  };
  return pages.flatMap(({ url, links, loaded }) => [
    ...links.flatMap((link) => faultOf(link)?.replace(/^/, `${url}: ${link} `) ?? []),
    ...loaded.filter((address) => !isThere(address)).map((address) => `${url}: ${address} is not of the site`),
  ]);
}
