import { describe, expect, it } from 'vitest';
import { readApisFile } from '../../packages/gateway/src/apis/file.ts';
import { writeDocument } from './apis.ts';
import { entryOf, judgeAll, PUBLIC_DOCUMENTS, versionOf } from './public-documents.ts';

const inputOf = (input: object): string =>
  Object.entries(input)
    .map(([place, schema]) => `${place} ${Object.keys(schema.properties).join(' ')}`)
    .join('; ');

describe.each(PUBLIC_DOCUMENTS)('the document of %s', (document) => {
  const judged = judgeAll(document);
  const names = judged.flatMap(({ name, fault }) => (fault === undefined ? [name] : []));
  const entry = { url: 'https://api.example', ...entryOf(document, names) };
  const { apis, faults } = readApisFile(writeDocument({ apis: { [document]: entry } }));
  const rows = apis[0]?.rows ?? [];

  it('has a row for each operation without a fault', () => {
    expect(faults).toEqual([]);
    expect(rows).toHaveLength(names.length);
  });

  it('is served as recorded; each operation that is not names its reason', async () => {
    const lines = judged.map(({ name, endpoint, fault }) => {
      if (fault !== undefined) return `${endpoint}\n    not served: ${fault}`;
      const row = rows[names.indexOf(name)];
      return `${endpoint}\n    ${row?.method} (${inputOf(row?.input ?? {})})`;
    });
    const count = `OpenAPI ${versionOf(document)}: ${rows.length} of ${judged.length} operations are served.`;
    await expect(`${[count, ...lines].join('\n')}\n`).toMatchFileSnapshot(`recorded/${document}.txt`);
  });
});
