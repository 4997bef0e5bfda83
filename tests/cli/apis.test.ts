import { routesIn } from '@asset-gateway/client/pay';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../packages/cli/src/commands/index.ts';
import { StoredAnswers } from '../../packages/cli/src/mcp/answer.ts';
import { Approvals } from '../../packages/cli/src/mcp/approvals.ts';
import { Calls } from '../../packages/cli/src/mcp/calls.ts';
import { toolsOf } from '../../packages/cli/src/mcp/server.ts';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { serveWeatherAndNotes } from '../apis/apis.ts';
import { documentPath, writeDocument } from '../apis/document-files.ts';
import { makeFolder } from '../kit/folder.ts';
import { textOf, useHosts } from '../mcp/host.ts';
import { runHere } from './in-process.ts';

const { gateway, stub } = await serveWeatherAndNotes();
const chain = gateway.solana.mainnet;
const openHost = useHosts(gateway);

const home = makeFolder();
const env = { HOME: home, ASSET_GATEWAY_URL: gateway.url, ASSET_GATEWAY_RPC_URL: chain.url };
const ask = (...words: string[]) => runHere(words, { env });
const address = (await ask('wallet', 'new')).stdout.trim();
await chain.fundUsdc(address, 1_000_000n);
const lastArrival = () => stub.arrivals.at(-1);
const paid = () => chain.transfers.filter(({ from }) => from === address).map(({ amount }) => amount);

describe('an API of the gateway is a command', () => {
  it('free for a signature, with parameters as options', async () => {
    const { code, stdout, stderr } = await ask('weather', 'getForecast', '--city', 'New York', '--fields', 'date');
    expect([code, stderr]).toEqual([0, expect.stringContaining('signed by')]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, surface: 'weather', result: { city: 'Rome' } });
    expect(lastArrival()?.target).toBe('/forecast/New%20York?fields=date');
  });

  it('also by its path', async () => {
    const { code } = await ask('/v1/x402/weather/forecast/Oslo');
    expect([code, lastArrival()?.target]).toEqual([0, '/forecast/Oslo']);
  });

  it('paid with --pay only, within the limits, once', async () => {
    const words = ['weather', 'getHistory', '--city', 'Rome', '--from', '17'];
    const quoted = await ask('quote', ...words);
    expect(JSON.parse(quoted.stdout)).toMatchObject({ priceUsd: '0.002', listedUsd: '0.002' });
    const unpaid = await ask(...words, '--json');
    expect([unpaid.code, unpaid.stderr]).toEqual([1, expect.stringContaining('add --pay')]);
    const limited = await ask(...words, '--pay', '--max-call', '0.001');
    expect([limited.code, paid()]).toEqual([3, []]);
    const answered = await ask(...words, '--pay');
    expect([answered.code, paid()]).toEqual([0, [2000n]]);
    expect(lastArrival()?.body).toBe('{"city":"Rome","from":17}');
  });

  it('paid by its path and a JSON body, whose numbers keep every digit', async () => {
    const body = '{"city":"Rome","from":9007199254740993}';
    const { code, stderr } = await ask('/v1/x402/solana/mainnet/weather/history', body, '--pay');
    expect([code, stderr, lastArrival()?.body]).toEqual([0, expect.anything(), body]);
  });

  it('with nested values, and as one JSON object', async () => {
    // As an option, --version is that of every command.
    const json = JSON.stringify({ id: 'n1', version: 2 });
    const options = ['--body.id', '7', '--author', '{"name":"Ada","admin":true}', '--scores', '0.5,1'];
    const { code, stderr } = await ask('notes', 'updateNote', json, ...options);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    const body = { id: 7, author: { name: 'Ada', admin: true }, scores: [0.5, 1] };
    expect([lastArrival()?.target, JSON.parse(lastArrival()?.body ?? '')]).toEqual(['/notes/n1?version=2', body]);
  });

  it('with a help of its methods and parameters', async () => {
    const api = await ask('weather', '--help');
    expect(api.stdout).toContain('weather getForecast --city Rome\n');
    expect(api.stdout).toContain('weather getHistory --city');
    const method = await ask('weather', 'getForecast', '--help');
    expect(method.stdout).toMatch(/Usage: asset-gateway-client weather getForecast .*[\s\S]*--days <value> +integer\n/);
    expect(method.stdout).toContain('The forecast of a city. Free, for a signature.');
  });

  it.each([
    ['weather', 2, 'weather takes a method; methods: getForecast, getHistory'],
    ['weather getForcast', 2, 'weather has no method getForcast; methods: getForecast, getHistory'],
    ['weather getForecast --town Rome', 2, "Unknown option '--town'"],
    ['weather getForecast Rome', 2, 'or one JSON object; type asset-gateway-client weather getForecast --city Rome'],
    ['weather getForecast', 4, 'weather.getForecast: city: This parameter is required. Nothing was sent.'],
    ['wether getForecast', 2, 'there is no command wether'],
    ['--gateway http://127.0.0.1:1 wether getForecast', 1, 'http://127.0.0.1:1 cannot be reached'],
    ['--gateway http://127.0.0.1:1 creditor', 2, 'does not say whether it has such an API; did you mean credit?'],
  ])('%s exits with %i and names the fault', async (typed, exit, sentence) => {
    const before = stub.arrivals.length;
    const { code, stdout, stderr } = await ask(...typed.split(' '));
    expect([code, stdout, stub.arrivals.length]).toEqual([exit, '', before]);
    expect(stderr).toContain(sentence);
  });
});

it('an API of the gateway is a set of MCP tools with prices, payments within the budget, and refusals', async () => {
  const host = await openHost({ words: ['--budget-usd', '0.01'] });
  const { tools } = await host.client.listTools();
  const own = tools.filter(({ name }) => /^(?:weather|notes)_/.test(name));
  expect(own.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ['weather_getForecast', true],
    ['weather_getHistory', false],
    ['notes_listNotes', true],
    ['notes_updateNote', true],
  ]);
  expect(own[1]?.description).toBe('Past weather of a city. Costs $0.002 a call.');
  expect(own[0]?.inputSchema).toMatchObject({ required: ['city'], additionalProperties: false });
  const free = await host.call('weather_getForecast', { city: 'Rome' });
  expect(free.structuredContent).toMatchObject({ result: { city: 'Rome' } });
  expect(host.transfers()).toBe(0);
  const bought = await host.call('weather_getHistory', { city: 'Rome', from: 1 });
  expect(bought.structuredContent).toMatchObject({ result: { days: [] }, paid: { usd: '0.002' } });
  const quoted = await host.call('quote', { method: 'weather_getHistory' });
  expect(quoted.structuredContent).toMatchObject({ priceUsd: '0.002', needsAsking: false });
  const refused = await host.call('weather_getForecast', { city: 'R0me' });
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('invalid_request')]);
  expect([host.transfers(), await host.spentUsd()]).toEqual([1, '0.002']);
});

/** The MCP tools of a gateway that lists these routes. */
function toolsFrom(routes: readonly object[], isAll = false) {
  const listed = routesIn({ routes }) ?? [];
  const budget = { perCallUsd: 0, perDayUsd: 0 };
  const calls = new Calls({ gateway: gateway.url, cluster: 'mainnet', listed, budget });
  return toolsOf({ calls, approvals: new Approvals(), stored: new StoredAnswers() }, isAll);
}

const FREE = { httpMethod: 'GET', description: 'A part.\u202e', priceUsd: '0.00', accessMode: 'siwx' };

it('a large API with more than twenty operations is one MCP tool, unless each was asked for', () => {
  const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
  const free = { ...FREE, surface: 'large', inputSchema };
  const paid = { ...free, priceUsd: '0.01', accessMode: 'exact', cluster: 'mainnet' };
  const rowAt = (at: number) => ({ ...(at === 0 ? paid : free), path: `/${at}`, method: `part${at}` });
  const rows = Array.from({ length: 21 }, (_, at) => rowAt(at));
  const toolsFor = (count: number, isAll: boolean) =>
    toolsFrom(rows.slice(0, count), isAll).filter(({ name }) => name.startsWith('large'));
  expect([toolsFor(20, false).length, toolsFor(21, true).length]).toEqual([20, 21]);
  const [tool, ...others] = toolsFor(21, false);
  expect([tool?.name, tool?.annotations.readOnlyHint, others]).toEqual(['large', false, []]);
  expect(tool?.description).toContain('part0(id) $0.01; part1(id) free; ');
  expect(toolsFor(1, false)[0]?.description).toBe('A part. Costs $0.01 a call.');
});

describe('names are distinct', () => {
  it('of own tools and those of an API, whose own name may be that of one', () => {
    const methods = Array.from({ length: 21 }, (_, at) => ({
      ...FREE,
      path: `/q${at}`,
      surface: 'quote',
      method: `q${at}`,
    }));
    const tools = toolsFrom([{ ...FREE, path: '/on', surface: 'read', method: 'on' }, ...methods]);
    const names = tools.map(({ name }) => name);
    expect([new Set(names).size, names.filter((name) => /^(?:read_on|quote)$/.test(name))]).toEqual([
      names.length,
      ['quote', 'read_on'],
    ]);
    expect(tools.find(({ name }) => name === 'read_on')?.title).toBe('More of a cut answer');
  });

  it('of commands and APIs: a file that names an API like a command is refused', () => {
    const commands = COMMANDS.map(({ name }) => name).filter((name) => /^\w/.test(name));
    const own = toolsFrom([]).map(({ name }) => name.split('_', 1)[0] as string);
    const names = [...new Set([...commands, ...own, 'health'])];
    const openapi = documentPath('weather.yaml');
    const entry = { title: 'A', openapi, url: 'https://a.example', operations: { getForecast: {} } };
    const apis = Object.fromEntries([...names, 'weather'].map((name) => [name, entry]));
    const { apis: served, faults } = readApisFile(writeDocument({ apis }));
    const fault = 'is the name of a part of the gateway or of its command line; choose another';
    expect(faults).toEqual(names.map((name) => `apis.${name}: ${fault}`));
    expect(served.map(({ name }) => name)).toEqual(['weather']);
  });
});
