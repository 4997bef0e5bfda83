import { writeFileSync } from 'node:fs';

/** Writes the files generated from the tables of routes and refusals. */
export async function docs() {
  const { writtenPages } = await import('../packages/gateway/dist/describe/pages.js');
  for (const [path, text] of Object.entries(writtenPages())) {
    writeFileSync(path, text);
    process.stdout.write(`${path} written\n`);
  }
}
