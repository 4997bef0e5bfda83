/** A list item; further lines are indented below the first. */
const itemOf = (sentence) => `- ${sentence.trim().replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '')}\n`;

/** The changelog with a new release below its title: one item for each sentence. */
export function withRelease(changelog, version, sentences) {
  const [title, ...older] = changelog.split('\n## ');
  const release = `${version}\n\n${sentences.map(itemOf).join('')}`;
  return [title, release, ...older]
    .map((part) => part.trimEnd())
    .join('\n\n## ')
    .concat('\n');
}
