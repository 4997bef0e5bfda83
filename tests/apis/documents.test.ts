import { expect, it } from 'vitest';
import { judgeAll, PUBLIC_DOCUMENTS, versionOf } from './public-documents.ts';

const inputOf = (input: object): string =>
  Object.entries(input)
    .map(([place, schema]) => `${place} ${Object.keys(schema.properties).join(' ')}`)
    .join('; ');

it.each(PUBLIC_DOCUMENTS)(
  'the document of %s is served as recorded; each operation that is not names its reason',
  async (document) => {
    const judged = judgeAll(document);
    const lines = judged.map(({ endpoint, row, fault }) => {
      expect([endpoint, row === undefined]).toEqual([endpoint, fault !== undefined]);
      return `${endpoint}\n    ${row ? `${row.method} (${inputOf(row.input)})` : `not served: ${fault}`}`;
    });
    const served = judged.filter(({ row }) => row).length;
    const count = `OpenAPI ${versionOf(document)}: ${served} of ${judged.length} operations are served.`;
    await expect(`${[count, ...lines].join('\n')}\n`).toMatchFileSnapshot(`recorded/${document}.txt`);
  },
);
