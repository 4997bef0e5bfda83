import { writeFileSync } from 'node:fs';

/** Writes the files generated from the tables of routes and refusals, and the schema of the file of APIs. */
export async function docs() {
  const { writtenPages } = await import('../packages/gateway/dist/describe/pages.js');
  const { FILE } = await import('../packages/gateway/dist/apis/format.js');
  const schema = { 'docs/apis.schema.json': `${JSON.stringify(FILE, null, 2)}\n` };
  for (const [path, text] of Object.entries({ ...writtenPages(), ...schema })) {
    writeFileSync(path, text);
    process.stdout.write(`${path} written\n`);
  }
}
