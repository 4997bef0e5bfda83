import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

// Writes the sources that are generated from the route table. The compiler needs them, so they are bundled, not compiled.
const bundle = await rolldown({
  input: 'packages/gateway/src/describe/pages.ts',
  platform: 'node',
  resolve: { conditionNames: ['@asset-gateway/source', 'node'] },
});
const { output } = await bundle.generate();
await bundle.close();
const { writtenSources } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
for (const [path, text] of Object.entries(writtenSources())) {
  // A file that is the same keeps its date, so that nothing is compiled again.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}
