import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

// Writes the sources that are generated: from the route table, which is bundled because the compiler needs them, and from SQL files.
const bundle = await rolldown({
  input: 'packages/gateway/src/describe/pages.ts',
  platform: 'node',
  resolve: { conditionNames: ['@asset-gateway/source', 'node'] },
});
const { output } = await bundle.generate();
await bundle.close();
const { writtenSources } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);

const CHANGES = 'packages/gateway/src/stores/sql/changes';

/** The changes of the database's schema as a module: the text of each, by engine, and the lowest change whose gateways work with it. */
function changesModule() {
  const textOf = (number, engine) => readFileSync(`${CHANGES}/${number}.${engine}.sql`, 'utf8');
  const changes = readdirSync(CHANGES)
    .filter((name) => name.endsWith('.sqlite.sql'))
    .sort()
    .map((name) => {
      const [number] = name.split('.');
      const [sqlite, postgres] = ['sqlite', 'postgres'].map((engine) => textOf(number, engine));
      return {
        number: Number(number),
        worksWith: Number(/^-- works with: (\d+)$/m.exec(sqlite)?.[1]),
        sqlite,
        postgres,
      };
    });
  return `// Written from the files of the folder "changes".\nexport const CHANGES = ${JSON.stringify(changes, undefined, 2)};\n`;
}

for (const [path, text] of [...Object.entries(writtenSources()), [`${CHANGES}.ts`, changesModule()]]) {
  // A file that is the same keeps its date, so that nothing is compiled again.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}
