import type { Route } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../packages/sandbox/src/solana/provider.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { callOf, paidRoutes, ROOMY } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { faultsOf, published } from './json-schema.ts';
import { closed, expectToDescribe } from './shapes.ts';

let gateway: SellingGateway;
let wallet: Wallet;
beforeAll(async () => {
  gateway = await startSellingGateway(ROOMY);
  wallet = await openWallet(gateway.solana);
});
afterAll(() => gateway.stop());

const KNOWN = '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9';
const TOLY = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const NEWEST = { maxSupportedTransactionVersion: 0 };

type Variants = readonly Route['example'][];
const params = (...lists: readonly unknown[]): Variants => lists.map((each) => ({ body: { params: each } }));
const query = (...queries: Record<string, unknown>[]): Variants => queries.map((each) => ({ query: each }));

/** What each method is asked beside its row's example; the answers differ in what is known. */
const ASKED: Readonly<Record<string, Variants>> = {
  identity: [{ path: { wallet: KNOWN } }, { path: { wallet: 'toly.sol' } }],
  batchIdentity: [{ body: { wallets: [KNOWN, EXAMPLES.absent, 'toly.sol'] } }],
  balances: [
    ...query({ showNfts: true, showZeroBalance: true }, { page: 2, limit: 1 }, { showNative: false }),
    { path: { wallet: EXAMPLES.absent } },
  ],
  history: [...query({ limit: 5 }, { type: 'SWAP' }), { path: { wallet: EXAMPLES.absent } }],
  transfers: [...query({ limit: 5 }), { path: { wallet: EXAMPLES.absent } }],
  fundedBy: [{ path: { wallet: KNOWN } }],
  getBalance: params([EXAMPLES.whale], [EXAMPLES.absent]),
  getAccountInfo: params([TOLY], [JUP, { encoding: 'jsonParsed' }], [EXAMPLES.absent], [TOLY, { encoding: 'base58' }]),
  getTransaction: [],
  getSignaturesForAddress: params([TOLY, { limit: 100 }], [EXAMPLES.absent]),
  getTokenAccountsByOwner: params([TOLY, { mint: JUP }], [EXAMPLES.absent, { programId: TOKEN_PROGRAM }]),
  getProgramAccounts: params([
    TOKEN_PROGRAM,
    { withContext: true, filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } },
  ]),
  getTransactionsForAddress: params(
    [TOLY, { limit: 5 }],
    [TOLY, { limit: 5, transactionDetails: 'full', ...NEWEST }],
    [TOLY, { limit: 5, transactionDetails: 'full', encoding: 'jsonParsed', ...NEWEST }],
    [EXAMPLES.absent],
  ),
  getAsset: params({ id: TOLY }, { id: JUP }),
  getAssetsByOwner: params(
    { ownerAddress: TOLY, limit: 100, options: { showFungible: true, showNativeBalance: true, showGrandTotal: true } },
    { ownerAddress: EXAMPLES.absent },
  ),
  searchAssets: params({ ownerAddress: TOLY, tokenType: 'all', limit: 100 }),
};

/** One row per method: rows of the same method share their schemas. */
const rows = paidRoutes
  .filter(({ cluster, provider }) => cluster === 'mainnet' && provider === 'helius')
  .map((route) => [route.method, route] as const);

async function answerOf(route: Route, values: Route['example']): Promise<unknown> {
  const { target, init } = callOf(route, values);
  const response = await wallet.buy(`${gateway.url}${target}`, init);
  const body = (await response.json()) as { ok: boolean; result: unknown };
  expect([response.status, body.ok], `${target} ${init.body}`).toEqual([200, true]);
  return body.result;
}

async function answersOf(route: Route): Promise<unknown[]> {
  const answers = [];
  for (const values of [{}, ...(ASKED[route.method] ?? [])]) answers.push(await answerOf(route, values));
  return answers;
}

it('asks for every method that is sold', () => {
  expect(new Set(rows.map(([method]) => method))).toEqual(new Set(Object.keys(ASKED)));
  expect(new Set(paidRoutes.map(({ method }) => method))).toEqual(new Set(Object.keys(ASKED)));
});

describe.each(rows)('%s', (_, route) => {
  it('answers what its row describes', async () => {
    const schema = published(route.result.schema);
    const answers = await answersOf(route);
    for (const answer of answers) {
      expect(faultsOf(schema, answer)).toEqual([]);
      if (route.surface === 'wallet') expect(faultsOf(closed(schema), answer)).toEqual([]);
    }
    expectToDescribe(schema, answers[0]);
  });
});

it.each(['json', 'jsonParsed', 'base64', 'base58'])(
  'getTransaction answers what its row describes in %s',
  async (encoding) => {
    const byMethod = new Map(rows);
    const [history, transaction] = ['getSignaturesForAddress', 'getTransaction'].map((method) => byMethod.get(method));
    if (!history || !transaction) throw new Error('no such row');
    const listed = await answerOf(history, { body: { params: [TOLY, { limit: 3 }] } });
    for (const { signature } of listed as { signature: string }[]) {
      const answer = await answerOf(transaction, { body: { params: [signature, { encoding, ...NEWEST }] } });
      expect(answer).not.toBeNull();
      expectToDescribe(published(transaction.result.schema), answer);
    }
  },
);
