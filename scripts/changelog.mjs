const UNRELEASED = '## Unreleased';

/** A sentence as an item of a list, in which its further lines stand below the first. */
const itemOf = (sentence) => `- ${sentence.trim().replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '')}\n`;

/**
 * The changelog with a release at its head: what stood there as not yet released, and after that a line for each sentence.
 * @param changelog the whole text, which begins with its title
 * @param version of the release
 * @param sentences what its changesets say
 */
export function withRelease(changelog, version, sentences) {
  const [title, ...rest] = changelog.split('\n## ');
  const [head = '', ...older] = rest;
  const isUnreleased = `## ${head}`.startsWith(`${UNRELEASED}\n`);
  const lines = isUnreleased ? head.slice(head.indexOf('\n')).trim() : '';
  const items = sentences.map(itemOf).join('');
  const release = `${version}\n\n${lines === '' ? '' : `${lines}\n`}${items}`;
  const releases = [release, ...(isUnreleased ? older : rest)];
  return [title.trimEnd(), ...releases.map((each) => `${each.trimEnd()}`)].join('\n\n## ').concat('\n');
}
