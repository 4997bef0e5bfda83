import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { below, listAt } from '@asset-gateway/protocol';
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/client';
import { parsePaymentRequired } from '@x402/core/schemas';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { jsonInit } from '../http/targets.ts';
import { makeFolder } from '../kit/folder.ts';
import { ERAS, type Host, textOf, transportHere, useHosts } from './host.ts';
import { openX402Wallet } from './x402-wallet.ts';

const ACCOUNT = 'So11111111111111111111111111111111111111112';
const BALANCE = { method: 'getBalance', arguments: { account: ACCOUNT } };
const OTHER = { method: 'getBalance', arguments: { account: '11111111111111111111111111111111' } };
const EXTENSION = 'org.x402/payment';

const gateway = await startEverything({ CREDIT: 'on' });
const { mainnet, provider } = gateway.solana;
const openHost = useHosts(gateway, { isWalletless: true });

/** The requirements of a result, in the form of the tool-result binding. */
function requiredIn(answer: CallToolResult): PaymentRequired {
  expect(answer.isError).toBe(true);
  expect(answer.structuredContent).toEqual(JSON.parse(textOf(answer)));
  const parsed = parsePaymentRequired(answer.structuredContent);
  if (!parsed.success) throw new Error(`no requirements but ${textOf(answer)}`);
  return parsed.data as PaymentRequired;
}

const settlementIn = (answer: CallToolResult): unknown => answer._meta?.['x402/payment-response'];
const sentenceIn = ({ content }: CallToolResult): string => textOf({ content: content.slice(1) });

/** A call with a payment. */
const payFor = ({ client }: Host, input: object, payment: unknown, name = 'rpc'): Promise<CallToolResult> =>
  client.callTool({ name, arguments: { ...input }, _meta: { 'x402/payment': payment } });

describe.each(ERAS)('a client with a wallet, in the era of %s', (_, era) => {
  it('gets the requirements without a call of the upstream, pays, and gets answer and settlement', async () => {
    const [host, wallet] = [await openHost({ era }), await openX402Wallet(mainnet)];
    const arrivals = provider.arrivals.length;
    const required = requiredIn(await host.call('rpc', BALANCE));
    expect([required.error, required.accepts.length]).toEqual(['payment_required', 1]);
    expect(provider.arrivals.length).toBe(arrivals);
    const answer = await payFor(host, BALANCE, await wallet.pay(required));
    const { network } = required.accepts[0] ?? {};
    const settlement = { success: true, transaction: expect.stringMatching(/^\w{64,88}$/), network };
    expect([answer.isError ?? false, settlementIn(answer)]).toEqual([false, expect.objectContaining(settlement)]);
    expect(answer.structuredContent).toMatchObject({ result: { value: expect.anything() }, paid: { usd: '0.000005' } });
    expect([wallet.transfers(), provider.arrivals.length]).toEqual([1, arrivals + 1]);
  });

  it('is charged once for a payment that it sends twice', async () => {
    const [host, wallet] = [await openHost({ era }), await openX402Wallet(mainnet)];
    const payment = await wallet.pay(requiredIn(await host.call('rpc', BALANCE)));
    const first = await payFor(host, BALANCE, payment);
    const arrivals = provider.arrivals.length;
    const second = await payFor(host, BALANCE, payment);
    expect([second.structuredContent, settlementIn(second)]).toEqual([first.structuredContent, settlementIn(first)]);
    expect([wallet.transfers(), provider.arrivals.length]).toEqual([1, arrivals]);
  });

  it.each<[string, string, object]>([
    ['the same tool with other arguments', 'rpc', OTHER],
    ['another tool', 'wallet_balances', { wallet: ACCOUNT }],
  ])('is asked for a fresh payment if it sends one for %s, which does not settle', async (_what, name, input) => {
    const [host, wallet] = [await openHost({ era }), await openX402Wallet(mainnet)];
    const required = requiredIn(await host.call('rpc', BALANCE));
    const arrivals = provider.arrivals.length;
    const refused = await payFor(host, input, await wallet.pay(required), name);
    const fresh = requiredIn(refused);
    expect(fresh.error).toBe('no_matching_requirements');
    expect([wallet.transfers(), provider.arrivals.length]).toEqual([0, arrivals]);
    expect(sentenceIn(refused)).toMatch(
      /^The payment was refused \(no_matching_requirements: .*a new payment can be made\.$/,
    );
    const answer = await payFor(host, input, await wallet.pay(fresh), name);
    expect([answer.isError ?? false, wallet.transfers()]).toEqual([false, 1]);
  });

  it.each<[string, unknown]>([
    ['is no object', 'none'],
    ['has another shape', { x402Version: 2, payload: {} }],
    ['is too long for a header', { x402Version: 2, payload: { transaction: 'x'.repeat(10_000) } }],
  ])('is asked for a fresh payment if its payment %s', async (_what, payment) => {
    const host = await openHost({ era });
    const [arrivals, transfers] = [provider.arrivals.length, mainnet.transfers.length];
    const required = requiredIn(await payFor(host, BALANCE, payment));
    expect([required.error, required.accepts.length]).toEqual(['payment_malformed', 1]);
    expect([provider.arrivals.length, mainnet.transfers.length]).toEqual([arrivals, transfers]);
  });

  it("needs no sign-in, because the server's key signs for free tools", async () => {
    const { call } = await openHost({ era });
    expect((await call('tokens_search', { q: 'gold' })).structuredContent).toMatchObject({ result: { query: 'gold' } });
    expect((await call('spending')).structuredContent).toMatchObject({ wallet: null });
  });

  it('may pay with an upstream that fails: nothing settles, and the same payment buys the answer later', async () => {
    const [host, wallet] = [await openHost({ era }), await openX402Wallet(mainnet)];
    const payment = await wallet.pay(requiredIn(await host.call('rpc', BALANCE)));
    provider.faults.jsonRpcError = { code: -32602, message: 'Invalid param' };
    onTestFinished(() => provider.faults.reset());
    const failed = await payFor(host, BALANCE, payment);
    expect([failed.isError, failed.structuredContent, wallet.transfers()]).toEqual([true, undefined, 0]);
    expect(textOf(failed)).toContain('The payment was not used and costs nothing.');
    provider.faults.reset();
    expect((await payFor(host, BALANCE, payment)).isError ?? false).toBe(false);
    expect(wallet.transfers()).toBe(1);
  });
});

describe('a server with a wallet', () => {
  const [, [, era]] = ERAS;
  const words = ['--budget-usd', '1'];

  it("passes a client's payment on, and pays nothing itself, for every outcome", async () => {
    const [host, wallet] = [await openHost({ era, words, isWalletless: false }), await openX402Wallet(mainnet)];
    const required = await offered();
    await payFor(host, BALANCE, await wallet.pay(required));
    expect([wallet.transfers(), host.transfers(), await host.spentUsd()]).toEqual([1, 0, '0.00']);
    const refused = await payFor(host, OTHER, await wallet.pay(await offered()));
    expect([requiredIn(refused).error, wallet.transfers()]).toEqual(['no_matching_requirements', 1]);
    expect([host.transfers(), await host.spentUsd()]).toEqual([0, '0.00']);
  });

  it('pays for a client without a payment, except with --pay-by client', async () => {
    const own = await openHost({ era, words, isWalletless: false });
    expect((await own.call('rpc', BALANCE)).isError ?? false).toBe(false);
    expect(own.transfers()).toBe(1);
    await own.close();
    const other = await openHost({ era, words: ['--pay-by', 'client'] });
    requiredIn(await other.call('rpc', BALANCE));
    expect(other.transfers()).toBe(0);
  });

  it('says what a user without a wallet can do, after the requirements for a program', async () => {
    const { call } = await openHost({ era });
    expect(sentenceIn(await call('rpc', BALANCE))).toMatch(
      /^rpc_getBalance costs \$0\.000005, and this server has no wallet\. Nothing was paid\. .*_meta\["x402\/payment"\]/,
    );
  });

  it('refuses by its own reason with --pay-by server and no wallet', async () => {
    const { call } = await openHost({ era, words: ['--pay-by', 'server'] });
    const answer = await call('rpc', BALANCE);
    expect([answer.isError, answer.structuredContent]).toEqual([true, undefined]);
    expect(textOf(answer)).toMatch(/has no wallet\. Nothing was paid\./);
  });
});

/** The requirements for the balance, as a client without MCP gets them. */
async function offered(): Promise<PaymentRequired> {
  const url = `${gateway.url}/v1/x402/solana/mainnet/helius/rpc/getBalance`;
  return (await fetch(url, jsonInit({ params: [ACCOUNT] }))).json();
}

/** A server that gets messages as they are on the wire. */
async function openWire(words: readonly string[] = []) {
  const folder = makeFolder();
  const folders = { HOME: folder, XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder };
  const transport = transportHere(['mcp', ...words], { ASSET_GATEWAY_URL: gateway.url, ...folders });
  const waiting = new Map<unknown, (result: unknown) => void>();
  transport.onmessage = (message) => waiting.get(below(message, 'id'))?.(below(message, 'result'));
  await transport.start();
  onTestFinished(() => transport.close());
  let ids = 0;
  return (method: string, params: object, capabilities: object = {}): Promise<Record<string, unknown>> => {
    const id = ++ids;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const message = {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: { ..._meta, ...(below(params, '_meta') as object) } },
    };
    return new Promise((resolve) => {
      waiting.set(id, resolve as (result: unknown) => void);
      void transport.send(message as JSONRPCMessage);
    });
  };
}

describe('on the wire of 2026-07-28', () => {
  const capabilities = { extensions: { [EXTENSION]: {} } };
  const params = { name: 'rpc', arguments: BALANCE };

  it('the extension is offered, and its clients get its own type of result until they have paid', async () => {
    const [send, wallet] = [await openWire(), await openX402Wallet(mainnet)];
    const discovered = await send('server/discover', {}, capabilities);
    expect(below(discovered, 'capabilities', 'extensions')).toEqual({ [EXTENSION]: {} });
    const asked = await send('tools/call', params, capabilities);
    const paymentRequired = { x402Version: 2, error: 'payment_required' };
    expect(asked).toMatchObject({ resultType: 'payment_required', paymentRequired });
    expect([asked.isError, asked.structuredContent, listAt(asked, 'content')]).toEqual([undefined, undefined, []]);
    const payment: PaymentPayload = await wallet.pay(asked.paymentRequired as PaymentRequired);
    const paying = { ...params, _meta: { 'x402/payment': payment } };
    const refused = await send('tools/call', { ...paying, arguments: OTHER }, capabilities);
    const again = { error: 'no_matching_requirements' };
    expect(refused).toMatchObject({ resultType: 'payment_required', paymentRequired: again });
    expect(wallet.transfers()).toBe(0);
    const answer = await send('tools/call', paying, capabilities);
    expect(answer).toMatchObject({ resultType: 'complete', structuredContent: { result: {} } });
    expect(below(answer, '_meta', 'x402/payment-response', 'success')).toBe(true);
    expect(wallet.transfers()).toBe(1);
  });

  it('other clients get a complete result that is an error', async () => {
    const send = await openWire();
    const asked = await send('tools/call', params);
    expect(asked).toMatchObject({ resultType: 'complete', isError: true, structuredContent: { x402Version: 2 } });
    const plain = await send('tools/call', params, { extensions: {} });
    expect([asked.paymentRequired, plain.resultType]).toEqual([undefined, 'complete']);
  });

  it('a server with a wallet and a budget leaves the payment to clients of the extension', async () => {
    const [file, keypair] = [join(makeFolder(), 'id.json'), newKeypair()];
    writeFileSync(file, JSON.stringify([...keypair]));
    await mainnet.fundUsdc(signerFromBytes(keypair).address, 1_000_000n);
    const send = await openWire(['--keypair', file, '--rpc', mainnet.url, '--budget-usd', '1']);
    const before = mainnet.transfers.length;
    expect((await send('tools/call', params, capabilities)).resultType).toBe('payment_required');
    expect(mainnet.transfers.length).toBe(before);
    expect(await send('tools/call', params)).toMatchObject({ resultType: 'complete', structuredContent: { paid: {} } });
    expect(mainnet.transfers.length).toBe(before + 1);
  });

  it('a server that pays itself does not offer it', async () => {
    const send = await openWire(['--pay-by', 'server']);
    expect(below(await send('server/discover', {}), 'capabilities', 'extensions')).toBeUndefined();
    expect((await send('tools/call', params, capabilities)).resultType).toBe('complete');
  });
});
