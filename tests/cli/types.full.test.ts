import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routesIn } from '@asset-gateway/client/pay';
import { expect, it } from 'vitest';
import { typesOf } from '../../packages/cli/src/commands/types.ts';
import { serveWeatherAndNotes } from '../apis/apis.ts';
import { makeFolder } from '../kit/folder.ts';
import { compile } from '../kit/run-code.ts';
import { runHere } from './in-process.ts';

const { gateway } = await serveWeatherAndNotes();

const PROGRAM = `import { createClient } from '@asset-gateway/client';
const client = createClient({ baseUrl: 'http://localhost' });
const forecast = await client.call('weather.getForecast', { city: 'Rome', days: 3, fields: ['date'] });
const celsius: number | undefined = forecast.days[0]?.celsius;
const { result } = await client.call('notes.updateNote', {
  id: 'n1', version: 2, 'body.id': 7, author: { name: 'Ada' }, scores: [0.5],
}).full();
const text: string | null | undefined = result.text;
await client.call('notes.listNotes');
await client.call('notes.updateNote', { id: 'n1', version: 2n, 'body.id': 9007199254740993n, author: { name: 'Ada' } });
await client.call('tokens.search', { q: 'gold', limit: 1 });
const balance: bigint = (await client.call('rpc.getBalance', { account: 'x' })).value;
console.log(celsius, text, balance);
// @ts-expect-error an unknown name
await client.call('weather.getForcast', { city: 'Rome' });
// @ts-expect-error no values
await client.call('weather.getForecast');
// @ts-expect-error a missing parameter
await client.call('weather.getForecast', { days: 3 });
// @ts-expect-error an unknown parameter
await client.call('weather.getForecast', { city: 'Rome', town: 'Rome' });
// @ts-expect-error a number as text
await client.call('weather.getForecast', { city: 'Rome', days: '3' });
// @ts-expect-error no value of the list
await client.call('weather.getForecast', { city: 'Rome', fields: ['rain'] });
// @ts-expect-error an incomplete nested object
await client.call('notes.updateNote', { id: 'n1', version: 2, 'body.id': 7, author: {} });
// @ts-expect-error no member of the result
forecast.nights;
`;

const EVIL = `*/ } } ' \` \${process.exit()} \\u202e \u202e\u2028\n// \\`;

/** Rows of a catalog that try to break out of every place where a type shows them. */
function evilRows(): object[] {
  const deep = (levels: number): unknown =>
    JSON.parse(`${'{"type":"array","items":'.repeat(levels)}{}${'}'.repeat(levels)}`);
  const schemas: readonly unknown[] = [
    {
      type: 'object',
      properties: { [EVIL]: { enum: [EVIL, 1, null, { a: 1 }], description: EVIL } },
      required: [EVIL],
    },
    { type: 'object', properties: { __proto__: null, constructor: { type: [EVIL, 'string'] } }, required: 7 },
    { anyOf: 'none', allOf: [{ oneOf: [] }, null, 5], properties: [] },
    {
      type: 'object',
      properties: { deep: deep(1_000), tuple: { type: 'array', prefixItems: [{}, EVIL], minItems: EVIL } },
    },
    { type: 'object', properties: { large: { enum: Array.from({ length: 50_000 }, (_, at) => `${EVIL}${at}`) } } },
  ];
  const rows = schemas.map((schema, at) => ({
    httpMethod: 'POST',
    path: `/x/:${EVIL.replaceAll('/', '')}`,
    priceUsd: '0.01',
    accessMode: 'exact',
    description: EVIL,
    surface: 'evil',
    method: `call${at}`,
    inputSchema: schema,
    pathParamsSchema: schema,
    outputSchema: { properties: { result: schema } },
  }));
  return [...rows, { ...rows[0], method: EVIL }, { ...rows[0], surface: EVIL }];
}

it('the types of a gateway type the right calls and refuse the wrong ones; they compile whatever a catalog says', async () => {
  const file = join(makeFolder(), 'gateway.ts');
  const { code, stderr } = await runHere(['types', gateway.url, '--output', file], { env: { HOME: makeFolder() } });
  expect([code, stderr]).toEqual([0, '']);
  const rows = evilRows();
  const listed = routesIn(JSON.parse(JSON.stringify({ routes: rows }))) ?? [];
  const evil = typesOf(listed, `https://gateway.example/${EVIL}`);
  expect(evil.match(/^ {4}'/gm)).toHaveLength(rows.length - 2);
  expect(evil.length).toBeLessThan(50_000);
  expect(compile({ 'gateway.ts': readFileSync(file, 'utf8'), 'evil.ts': evil, 'program.ts': PROGRAM })).toBe('');
}, 60_000);
