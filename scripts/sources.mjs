import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { rolldown } from 'rolldown';

// Writes the sources that are generated: from the alerts, from SQL files, and from the route table, which is bundled because the
// compiler needs them.

/** A file that is the same keeps its date, so that nothing is compiled again. */
function write(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

/** The severity and the texts of each alert as a module. */
function alertsModule() {
  const { groups } = Object(load(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')));
  const entries = groups[0].rules.map(({ alert, labels: { severity }, annotations: { description, action } }) => {
    return [alert, { severity, means: description, advice: action }];
  });
  const texts = JSON.stringify(Object.fromEntries(entries), undefined, 2);
  return `// Written from deploy/prometheus/alerts.yaml.\nexport const ALERTS = ${texts} as const;\n`;
}

write('packages/gateway/src/metrics/alert-texts.ts', alertsModule());

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

write(`${CHANGES}.ts`, changesModule());
for (const [path, text] of Object.entries(writtenSources())) write(path, text);
