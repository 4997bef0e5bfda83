import { describe, expect, it } from 'vitest';
import { runHere } from '../cli/in-process.ts';
import { openCustomer } from '../client/kit.ts';
import { jsonInit } from '../http/targets.ts';
import { makeFolder } from '../kit/folder.ts';
import { useHosts } from '../mcp/host.ts';
import { bodyOf, paymentFor, sendPaid } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { serveApis } from './apis.ts';

const TARGET = '/v1/x402/solana/mainnet/chat/chat/completions';
const messages = [{ role: 'user', content: 'Hello' }];
const { gateway, stub } = await serveApis({
  chat: {
    key: { bearer: true, env: 'TEST_API_KEY' },
    operations: {
      createChatCompletion: {
        access: 'exact',
        price: '0.01',
        set: { stream: false, n: 1 },
        forbid: ['stream_options', 'max_completion_tokens'],
        bounds: { model: { values: ['gpt-5-mini', 'gpt-5-nano'] }, max_tokens: { maximum: 2000, default: 2000 } },
      },
    },
  },
});
const chain = gateway.solana.mainnet;
const wallet = await openWallet(gateway.solana);
const call = (body: unknown) => ({ target: TARGET, init: jsonInit(body) });
const asked = { model: 'gpt-5-mini', messages, max_tokens: 100 };
const arrived = (): unknown => JSON.parse(stub.arrivals.at(-1)?.body ?? '');
const sent = { ...asked, stream: false, n: 1 };

/** What an action adds: payments on the chain, and calls of the API. */
async function added(action: () => Promise<unknown>): Promise<readonly number[]> {
  const before = [chain.transfers.length, stub.arrivals.length] as const;
  await action();
  return [chain.transfers.length - before[0], stub.arrivals.length - before[1]];
}

describe('an operation with fixed, forbidden and bounded values is bought', () => {
  it('by the official client', async () => {
    const { target, init } = call(asked);
    const buy = async () => expect((await wallet.buy(`${gateway.url}${target}`, init)).status).toBe(200);
    expect([await added(buy), arrived()]).toEqual([[1, 1], sent]);
  });

  it('by our client', async () => {
    const { client } = await openCustomer(gateway);
    const buy = () => client.call('chat.createChatCompletion', asked);
    expect([await added(buy), arrived()]).toEqual([[1, 1], sent]);
  });

  it('by the command line', async () => {
    const env = { HOME: makeFolder(), ASSET_GATEWAY_URL: gateway.url, ASSET_GATEWAY_RPC_URL: chain.url };
    const address = (await runHere(['wallet', 'new'], { env })).stdout.trim();
    await chain.fundUsdc(address, 1_000_000n);
    const words = ['chat', 'createChatCompletion', JSON.stringify(asked), '--pay'];
    const buy = async () => expect((await runHere(words, { env })).code).toBe(0);
    expect([await added(buy), arrived()]).toEqual([[1, 1], sent]);
  });

  const openHost = useHosts(gateway, { words: ['--budget-usd', '0.1'] });

  it('by a language model over MCP', async () => {
    const host = await openHost();
    const buy = () => host.call('chat_createChatCompletion', asked);
    expect([await added(buy), arrived()]).toEqual([[1, 1], sent]);
  });
});

it('a bounded value that the client leaves out has its default', async () => {
  const { target, init } = call({ model: 'gpt-5-nano', messages });
  expect((await wallet.buy(`${gateway.url}${target}`, init)).status).toBe(200);
  expect(arrived()).toEqual({ model: 'gpt-5-nano', messages, stream: false, n: 1, max_tokens: 2000 });
});

describe('no document of the gateway shows fixed or forbidden parameters', () => {
  it.each(['/v1/catalog?provider=chat', '/openapi.json', '/llms.txt'])('%s', async (path) => {
    const text = await (await fetch(`${gateway.url}${path}`)).text();
    expect(text).toMatch(/ChatCompletion|chat.completions/);
    expect(text).not.toMatch(/"stream|include_usage|max_completion_tokens|"n":|gpt-5"/);
  });

  it('the catalog names the bounds, and its example keeps them', async () => {
    const response = await fetch(`${gateway.url}/v1/catalog?provider=chat`);
    const { routes } = (await response.json()) as { routes: { inputSchema: object; inputExample: object }[] };
    expect(JSON.stringify(routes[0]?.inputSchema)).toContain('"maximum":2000');
    const { target, init } = call(routes[0]?.inputExample);
    expect((await wallet.buy(`${gateway.url}${target}`, init)).status).toBe(200);
  });
});

/** Shows that a call is refused before the API is asked, with a payment that nothing has used up. */
async function refuses(one: ReturnType<typeof call>, refusal = [400, 'invalid_request']): Promise<void> {
  const payment = await paymentFor(gateway, one, wallet);
  let response: Response | undefined;
  const ask = async () => {
    response = await sendPaid(gateway, one, payment);
  };
  expect(await added(ask)).toEqual([0, 0]);
  const body = response && (await bodyOf(response));
  expect([response?.status, body?.error, body?.payment?.state]).toEqual([...refusal, 'unused']);
}

const PARTS = '--x\r\nContent-Disposition: form-data; name="stream"\r\n\r\ntrue\r\n--x--';
const text = (more: string, max = '"max_tokens":100'): string =>
  `{"model":"gpt-5-mini","messages":${JSON.stringify(messages)},${max}${more}}`;

describe('the API is not called, and the payment stays unused, with', () => {
  it.each([
    ['the fixed member', text(',"stream":true')],
    ['the fixed value itself', text(',"stream":false')],
    ['the fixed member as a text', text(',"stream":"true"')],
    ['the fixed member as null', text(',"stream":null')],
    ['the fixed member in a list', text(',"stream":[true]')],
    ['the fixed member in an object', text(',"stream":{"value":true}')],
    ['the fixed member twice', text(',"stream":true,"stream":false')],
    ['an escaped name', text(',"\\u0073tream":true')],
    ['an upper-case name', text(',"STREAM":true')],
    ['a name with the long s', text(',"ſtream":true')],
    ['a name in camel case', text(',"maxTokens":5000')],
    ['a name with a hyphen', text(',"max-tokens":5000')],
    ['a name with a space', text(',"stream ":true')],
    ['an undocumented member', text(',"extra_body":{"stream":true}')],
    ['the prototype', text(',"__proto__":{"stream":true}')],
    ['a forbidden member', text(',"max_completion_tokens":9000')],
    ['a forbidden member as null', text(',"stream_options":null')],
    ['too much', text('', '"max_tokens":2001')],
    ['too much the second time', text(',"max_tokens":9000')],
    ['an exponent', text('', '"max_tokens":2e3')],
    ['a fraction of zero', text('', '"max_tokens":2000.0')],
    ['a fraction too small for JavaScript', text('', '"max_tokens":2000.0000000000000000001')],
    ['a number as a text', text('', '"max_tokens":"2000"')],
    ['null for a bound', text('', '"max_tokens":null')],
    ['a list for a bound', text('', '"max_tokens":[5000]')],
    ['another model', text('').replace('gpt-5-mini', 'gpt-5')],
    ['a model in other letters', text('').replace('gpt-5-mini', 'GPT-5-MINI')],
    ['models in a list', text('').replace('"gpt-5-mini"', '["gpt-5-mini"]')],
    ['no model', text('').replace('"model":"gpt-5-mini",', '')],
    ['the second of two models', text(',"model":"gpt-5"')],
    ['the body in a list', `[${text('')}]`],
  ])('%s', (_, body) => refuses(call(body)));

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'model=gpt-5-mini&max_tokens=100&stream=true'],
    ['a form of parts', 'multipart/form-data; boundary=x', PARTS],
    ['JSON as a text', 'text/plain', text(',"stream":true')],
    ['JSON of another kind', 'application/vnd.api+json', text(',"stream":true')],
  ])('%s', (_, type, body) => {
    const { target, init } = call(body);
    return refuses({ target, init: { ...init, headers: { 'content-type': type } } }, [415, 'unsupported_media_type']);
  });

  it.each([
    ['invalid JSON', text(',"stream":true,')],
    ['JSON in another encoding', `\ufeff${text(',"stream":true')}`],
    ['two bodies', `${text('')}${text(',"stream":true')}`],
  ])('%s', (_, body) => refuses(call(body), [400, 'invalid_json']));

  it('the fixed member in the query', () => refuses({ ...call(text('')), target: `${TARGET}?stream=true` }));
});
