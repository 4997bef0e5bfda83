import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { ERAS, type Host, inputOf, rowOf, startHost, textOf, tokensOf } from './host.ts';

const MOST_TOKENS = 25_000;
const OWN_INPUTS: Readonly<Record<string, object>> = {
  rpc: { method: 'getBalance', arguments: inputOf(rowOf('rpc_getBalance')) },
  das: { method: 'getAsset', arguments: inputOf(rowOf('das_getAsset')) },
  quote: { method: 'wallet_balances' },
  spending: {},
};
const LONG = { assetId: 'solana', include: ['profile', 'risk', 'ohlcv', 'markets'], variantsMode: 'all' };

const gateway = await startEverything();

describe.each(ERAS)('in the era of %s', (era, options) => {
  let host: Host;
  beforeAll(async () => {
    host = await startHost(gateway, { words: ['--budget-usd', '1'], era: options });
  });
  afterAll(() => host.close());

  it('seventeen tools are listed, in less than 5,000 tokens', async () => {
    expect(host.client.getNegotiatedProtocolVersion()).toContain(era);
    const { tools } = await host.client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('tokens_'))).toHaveLength(9);
    const others = 'wallet_balances wallet_history wallet_transfers rpc das quote spending read_on';
    expect(names.slice(9).join(' ')).toBe(others);
    expect(tokensOf(tools)).toBeLessThan(5_000);
    const page = readFileSync('docs/mcp.md', 'utf8');
    for (const name of names) expect(page).toContain(`\`${name}\``);
  });

  it('its own tools answer, and a paying tool is paid once', async () => {
    for (const [name, input] of Object.entries(OWN_INPUTS)) {
      const before = host.transfers();
      const answer = await host.call(name, input);
      const cost = ['rpc', 'das'].includes(name) ? 1 : 0;
      expect([name, answer.isError ?? false, host.transfers() - before]).toEqual([name, false, cost]);
      expect(answer.structuredContent).toEqual(JSON.parse(textOf(answer)));
    }
  });

  it('one wallet signs in for free tools and pays for the others', async () => {
    const { wallet } = (await host.call('spending')).structuredContent as { wallet: string };
    await host.call('tokens_search', { q: 'gold' });
    expect(JSON.parse(gateway.logLines.at(-1) ?? '{}')).toMatchObject({ route: 'tokens.search', wallet });
  });

  it('a long answer is cut; the rest is read without another request', async () => {
    const answer = await host.call('tokens_assetDetail', LONG);
    expect(tokensOf(answer)).toBeLessThan(MOST_TOKENS);
    const { result, cut } = answer.structuredContent as { result: unknown; cut: { answer: string; bytes: number } };
    expect(JSON.stringify(result)).toMatch(/… \d+ more of \d+/);
    const arrivals = gateway.logLines.length;
    const link = answer.content.find(({ type }) => type === 'resource_link') as { uri: string; size: number };
    const [whole] = (await host.client.readResource({ uri: link.uri })).contents;
    const text = whole && 'text' in whole ? whole.text : '';
    expect([Buffer.byteLength(text), link.size]).toEqual([cut.bytes, cut.bytes]);
    const candles = JSON.parse(text).includes.ohlcv.data as unknown[];
    const read = { answer: cut.answer, path: '/includes/ohlcv/data', from: candles.length - 5 };
    const rest = await host.call('read_on', read);
    expect(rest.structuredContent).toEqual({ result: candles.slice(-5) });
    const all = await host.call('read_on', { answer: cut.answer });
    expect(tokensOf(all)).toBeLessThan(MOST_TOKENS);
    expect(gateway.logLines.length).toBe(arrivals);
  });

  it('an answer that is not stored and an unknown path are tool errors', async () => {
    expect(textOf(await host.call('read_on', { answer: 'none' }))).toMatch(/^This answer is no longer stored/);
    await expect(host.client.readResource({ uri: 'asset-gateway://answers/none' })).rejects.toThrow(/no longer stored/);
    const { structuredContent } = await host.call('tokens_assetDetail', LONG);
    const { cut } = structuredContent as { cut: { answer: string } };
    for (const path of ['/nothing', '/__proto__', 'includes']) {
      const answer = await host.call('read_on', { answer: cut.answer, path });
      expect([path, answer.isError]).toEqual([path, true]);
    }
  });

  it('a refusal of the gateway is passed on with its code and issues', async () => {
    const refused = await host.call('tokens_priceChart', { assetId: 'solana', from: 5, to: 4 });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringMatching(/^invalid_request: .*\n\{/)]);
  });
});

it('with --tools=all every method is a tool that answers within the size limit', async () => {
  const host = await startHost(gateway, { words: ['--budget-usd', '1', '--tools=all'] });
  onTestFinished(() => host.close());
  const { tools } = await host.client.listTools();
  const methods = tools.filter(({ name }) => name.includes('_') && name !== 'read_on');
  expect([tools.length, methods.length]).toEqual([38, 35]);
  for (const { name, annotations, description } of methods) {
    const before = host.transfers();
    const answer = await host.call(name, inputOf(rowOf(name)));
    expect([name, answer.isError ?? false]).toEqual([name, false]);
    expect(tokensOf(answer)).toBeLessThan(MOST_TOKENS);
    const isPaid = annotations?.readOnlyHint === false;
    expect([name, host.transfers() - before]).toEqual([name, isPaid ? 1 : 0]);
    expect(description).toMatch(isPaid ? /\$0\.\d+/ : /Free/);
  }
});
