import { createClient } from '@asset-gateway/client';
import { routesIn } from '@asset-gateway/client/pay';
import { createTools } from '@asset-gateway/client/tools';
import { expect, it } from 'vitest';
import { serveWeatherAndNotes } from '../apis/apis.ts';
import { browserSuite } from '../kit/chromium.ts';
import { makeFolder } from '../kit/folder.ts';
import { runCode } from '../kit/run-code.ts';
import { axeFaults, pageInSuite, runSample, samplesIn } from './console.ts';

const { gateway, stub } = await serveWeatherAndNotes();

browserSuite('an API in the console', () => {
  const home = makeFolder();
  const { seen, page } = pageInSuite(`${gateway.url}/#/routes`);

  const open = async (id: string, title: string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/routes/${id}`)}`);
    await page.getByRole('heading', { level: 1, name: `${id.split('.').at(-1)} ${title}`, exact: true }).waitFor();
  };
  const send = async (label: string) => {
    await page.getByRole('button', { name: label }).click();
    return page.getByRole('heading', { name: /^Answer/ }).textContent();
  };
  const field = (name: string, place: string) =>
    page
      .locator('.field', { hasText: `${place}, ` })
      .getByLabel(name, { exact: false })
      .first();
  const last = () => stub.arrivals.at(-1);

  it('is listed under its title and found by it', async () => {
    await page.getByRole('heading', { level: 2, name: 'Weather of the world 2' }).waitFor();
    await page.getByLabel('Find a route').fill('of the world');
    expect(await page.locator('.entry').allTextContents()).toEqual([
      'GETgetForecastfreeThe forecast of a city',
      'POSTgetHistory$0.002Past weather of a city',
    ]);
    await page.getByLabel('Find a route').fill('');
  });

  it('is sent from a form of its schema: path, numbers and lists', async () => {
    await open('weather.getForecast', 'The forecast of a city');
    expect(await field('city', 'path').inputValue()).toBe('Rome');
    await field('days', 'query').fill('15');
    await page.getByRole('button', { name: 'Send, sign in' }).click();
    await page.getByText('Must be from 1 to 14.').waitFor();
    await field('days', 'query').fill('3');
    await field('fields', 'query').fill('date\ncelsius');
    expect(await send('Send, sign in')).toBe('Answer 200');
    expect(last()?.target).toBe('/forecast/Rome?days=3&fields=date&fields=celsius');
  });

  it('takes decimals, booleans and lists of numbers', async () => {
    await open('notes.listNotes', 'Notes in a folder');
    await field('minScore', 'query').fill('0.5');
    await field('pinned', 'query').selectOption('true');
    await field('sizes', 'query').fill('1\n2');
    expect(await send('Send, sign in')).toBe('Answer 200');
    expect(last()?.target).toBe('/notes?minScore=0.5&pinned=true&sizes=1&sizes=2');
  });

  it('has fields for path, query and nested body of a POST', async () => {
    await open('notes.updateNote', 'Changes a note');
    const names = (await page.locator('.field label code').allTextContents()).join(' ');
    expect(names).toBe('id notify version id version author.name author.admin scores');
    expect(await send('Send, sign in')).toBe('Answer 200');
    const body = { id: 7, author: { name: 'Ada', admin: true }, scores: [0.5, 1] };
    expect([last()?.target, JSON.parse(last()?.body ?? '')]).toEqual(['/notes/n1?version=2', body]);
    expect(await axeFaults(page)).toEqual([]);
  });

  it('has samples in five clients, which make the same request', async () => {
    await open('notes.updateNote', 'Changes a note');
    const { TypeScript = '', CLI: line = '', MCP = '', ...others } = await samplesIn(page);
    expect(Object.keys(others)).toEqual(['curl', 'Python']);
    expect(TypeScript).toContain("client.call('notes.updateNote', { id: 'n1', version: 2, 'body.id': 7, author: ");
    const before = stub.arrivals.length;
    expect(await runCode(TypeScript, {})).toMatchObject({ code: 0, stderr: '' });
    expect(line).toContain(' notes updateNote \'{"id":"n1"');
    await runSample(line, { HOME: home });
    const { name, arguments: given } = JSON.parse(MCP);
    const listed = routesIn(await (await fetch(`${gateway.url}/v1/catalog`)).json());
    const tools = createTools(createClient({ baseUrl: gateway.url }), { listed: listed ?? [] });
    await tools.find((each) => each.name === name)?.execute(given);
    const sent = stub.arrivals.slice(before).map(({ target, body }) => [target, JSON.parse(body)]);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it('has samples that pay at most its price', async () => {
    await open('weather.mainnet.weather.getHistory', 'Past weather of a city');
    await page.getByRole('button', { name: 'Send, pay $0.002' }).waitFor();
    const { TypeScript, CLI: line } = await samplesIn(page);
    expect(TypeScript).toContain("client.call('weather.getHistory', {");
    expect(TypeScript).toContain('caps: { perCallUsd: 0.002 }');
    expect(line).toMatch(/ weather getHistory '\{.*\}' --pay --max-call 0\.002$/);
    expect(seen.faults).toEqual([]);
  });
});
