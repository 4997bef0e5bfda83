import { afterAll, describe, expect, it } from 'vitest';
import { memberText } from '../../packages/gateway/src/upstreams/member-text.ts';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { jsonTestSuite } from '../signin/vectors.ts';
import { buys, callOf, paymentFor, ROOMY } from './calls.ts';
import { openWallet } from './wallets.ts';

const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY, blockMs: Number.POSITIVE_INFINITY });
const gateway = await startSellingGateway(ROOMY, { solana });
const wallet = await openWallet(solana);

/** Holds 2^63 lamports, which a double rounds. */
const WHALE = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';
solana.mainnet.airdrop(WHALE, 2n ** 63n);
afterAll(() => gateway.stop().then(solana.close));

/** The bytes of the envelope's last member. */
const resultIn = (text: string): string => text.slice(text.indexOf('"result":') + '"result":'.length, -1);

/** Buys, and gives the answer as it came over the wire. */
async function buy(id: string, params?: unknown): Promise<string> {
  const call = callOf(id, params === undefined ? {} : { body: { params } });
  const payment = await paymentFor(gateway, call, wallet);
  return (await buys(gateway, call, payment)).text();
}

/** The upstream's own response to this call. */
async function upstreamText(method: string, params: unknown): Promise<string> {
  const { rpcUrls, arrivals } = gateway.solana.provider;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(rpcUrls.helius.mainnet, { method: 'POST', headers, body });
  const text = await response.text();
  arrivals.pop();
  return text;
}

describe('no wide integer is rounded', () => {
  it('U6 in an account: 2^64 - 1 and 2^63', async () => {
    const params = [WHALE, { encoding: 'base64' }];
    const upstream = await upstreamText('getAccountInfo', params);
    const result = resultIn(await buy('rpc.mainnet.helius.getAccountInfo', params));
    expect(result).toContain('"rentEpoch":18446744073709551615');
    expect(result).toContain('"lamports":9223372036854775808');
    expect(upstream).toContain(`"result":${result}`);
  });

  it('U6 in a balance, by both providers', async () => {
    for (const provider of ['helius', 'alchemy']) {
      const text = await buy(`rpc.mainnet.${provider}.getBalance`, [WHALE]);
      expect(resultIn(text)).toMatch(/"value":9223372036854775808\}$/);
    }
  });
});

const AWKWARD = [
  '1E400',
  '-0',
  '1.10',
  'null',
  'false',
  '""',
  '[]',
  '{}',
  '"\\u0000\\ud800 \\"result\\":1}"',
  ' { "a" : 1 , "a" : 2 } ',
  '[18446744073709551615, 0.1000000000000000055511151231257827, -1e-400]',
  '{"result":{"error":{"code":-32602}},"id":7}',
  '["}","{","]","[","\\\\","\\\\\\""]',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `"${'é漢𝄞'.repeat(1000)}"`,
];

describe('U6 awkward JSON reaches the client unchanged', () => {
  it('as the result, at any place of the response', async () => {
    const { faults } = gateway.solana.provider;
    let id = 0;
    for (const json of AWKWARD) {
      id += 1;
      const bodies = [
        `{"jsonrpc":"2.0","result":${json},"id":${id}}`,
        ` { "id" : ${id} , "error" : null , "\\u0072esult" :${json}\n} `,
        `{"result":"first","id":${id},"result":${json}}`,
      ];
      faults.body = bodies[id % bodies.length];
      expect(resultIn(await buy('rpc.devnet.helius.getBalance'))).toBe(json.trim());
    }
    faults.reset();
  });

  it('nor is any of the y_ files of JSONTestSuite', () => {
    const files = jsonTestSuite().filter(({ name }) => name.startsWith('y_'));
    expect(files.length).toBeGreaterThan(90);
    for (const { name, bytes } of files) {
      const json = bytes.toString();
      const answers = [
        `{"result":${json}}`,
        `{"a":[{"result":0}],"result" : ${json} ,"id":1}`,
        `{"result":1,"result":${json}}`,
      ];
      for (const answer of answers) expect(memberText(answer, 'result'), name).toBe(json.trim());
      expect(memberText(`{"other":${json}}`, 'result'), name).toBeUndefined();
    }
  });
});

describe('the upstream receives', () => {
  const last = () => gateway.solana.provider.arrivals.at(-1);

  it('addresses, for batch-identity', async () => {
    const wallets = ['86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', 'toly.sol'];
    const call = callOf('wallet.mainnet.helius.batchIdentity', { body: { wallets } });
    const response = await wallet.buy(`${gateway.url}${call.target}`, call.init);
    expect(await response.json()).toMatchObject({ ok: true, method: 'batchIdentity' });
    expect(last()).toMatchObject({
      method: 'POST',
      target: '/v1/wallet/batch-identity',
      body: JSON.stringify({ addresses: wallets }),
    });
  });

  it('one JSON-RPC call of the method and the parameters, with an id of ours', async () => {
    const params = [WHALE, { commitment: 'confirmed' }];
    await buy('rpc.mainnet.alchemy.getBalance', params);
    const { id, ...rest } = JSON.parse(last()?.body ?? '') as Record<string, unknown>;
    expect([typeof id, rest]).toEqual(['number', { jsonrpc: '2.0', method: 'getBalance', params }]);
    await buy('das.mainnet.helius.getAsset', { id: WHALE });
    expect(JSON.parse(last()?.body ?? '')).toMatchObject({ method: 'getAsset', params: { id: WHALE } });
  });

  it('free of payment headers', async () => {
    await buy('rpc.mainnet.helius.getBalance');
    const headers = Object.keys(last()?.headers ?? {});
    expect(headers.filter((name) => /payment|sign-in|cookie|authorization/i.test(name))).toEqual([]);
  });

  it('the query as it was validated, in the wallet API', async () => {
    const address = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
    const call = callOf('wallet.mainnet.helius.history', {
      path: { wallet: address },
      query: { limit: 5, before: 'a b&c=d' },
    });
    const response = await wallet.buy(`${gateway.url}${call.target}`, call.init);
    expect(response.status).toBe(200);
    expect(last()?.target).toBe(`/v1/wallet/${address}/history?limit=5&before=a%20b%26c%3Dd`);
  });
});
