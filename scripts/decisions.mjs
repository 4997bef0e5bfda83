import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'docs/decisions';

/** The page that lists the decisions. */
export const DECISIONS_PAGE = `${FOLDER}/README.md`;

/** A decision's line: its title, its date, and its status unless it is accepted. */
function lineOf(name) {
  const [title, , about] = readFileSync(`${FOLDER}/${name}`, 'utf8').split('\n');
  const [status, date] = about.replace(/\.$/, '').split(', ');
  const suffix = status === 'Accepted' ? '' : `, ${status.toLowerCase()}`;
  return `1. [${title.slice('# '.length)}](${name}), ${date}${suffix}\n`;
}

/** The Markdown of the page that lists the decisions. */
export function decisionsPage() {
  const names = readdirSync(FOLDER).filter((name) => /^\d/.test(name));
  return `# Decisions\n\nDesign decisions and their reasons, oldest first.\n\n${names.sort().map(lineOf).join('')}`;
}
