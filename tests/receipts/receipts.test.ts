import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { newKeypair } from '@asset-gateway/client/node';
import { type Environment, readConfig } from '@asset-gateway/gateway';
import { HEADERS, NETWORKS, type Route } from '@asset-gateway/protocol';
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { SettleResponse } from '@x402/core/types';
import {
  canonicalize,
  extractReceiptFromResponse,
  getCanonicalBytes,
  type JWSSignedReceipt,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import bs58 from 'bs58';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { buyCredit, CREDIT, paymentOf, spendingHeader, startCreditGateway } from '../credit/gateway.ts';
import { freePort } from '../http/ports.ts';
import type { Example } from '../http/targets.ts';
import { makeFolder } from '../kit/folder.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { type SellingGateway, startChains, startSellingGateway } from '../kit/test-gateway.ts';
import {
  asVersion1,
  callOf,
  headerOf,
  leaves,
  paidRoutes,
  paymentFor,
  requiredFor,
  rowOf,
  send,
  sendPaid,
} from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';

/** A DID document, as far as tests look at it. */
interface DidDocument {
  readonly id: string;
  readonly verificationMethod: readonly { id: string; publicKeyJwk: { kty: string; crv: string; x: string } }[];
  readonly assertionMethod: readonly string[];
}

const didDocumentOf = async ({ url }: { readonly url: string }): Promise<DidDocument> =>
  (await (await fetch(`${url}/.well-known/did.json`)).json()) as DidDocument;

/** The receipt of an answer, found by x402's own package. */
function receiptIn(response: Response): JWSSignedReceipt {
  const receipt = extractReceiptFromResponse(response);
  if (receipt?.format !== 'jws') throw new Error(`no receipt with ${response.status}`);
  return receipt;
}

/** The content of a receipt that x402's own package has verified. */
const verified = (response: Response) => verifyReceiptSignatureJWS(receiptIn(response));

/** A part of a compact JWS: 0 is its header, 1 its payload. */
const partOf = ({ signature }: JWSSignedReceipt, index: 0 | 1): Record<string, unknown> =>
  JSON.parse(Buffer.from(signature.split('.')[index] ?? '', 'base64url').toString()) as Record<string, unknown>;

/** The same receipt with another part. */
function withPart({ format, signature }: JWSSignedReceipt, index: 0 | 1, value: unknown): JWSSignedReceipt {
  const parts = signature.split('.');
  parts[index] = Buffer.from(JSON.stringify(value)).toString('base64url');
  return { format, signature: parts.join('.') };
}

/** The settlement in a response. */
const settledIn = (response: Response, header: string = HEADERS.paymentResponse): SettleResponse =>
  decodePaymentResponseHeader(response.headers.get(header) ?? '');

const gateway = await startCreditGateway({}, { RECEIPTS: 'on' });
const wallet = await openWallet(gateway.solana);
const credited = await openWallet(gateway.solana);
for (const cluster of ['mainnet', 'devnet'] as const) await buyCredit(gateway, credited, 50_000, cluster);

const call = callOf('rpc.mainnet.helius.getBalance');
const buy = ({ target, init } = call) => wallet.buy(`${gateway.url}${target}`, init);

/** One paid route of each surface; all with ROUNDS=full. */
const SURFACES = ['rpc.mainnet.helius.getBalance', 'das.devnet.helius.getAsset', 'wallet.mainnet.helius.balances'];
const ROWS = isFull ? paidRoutes : SURFACES.map(rowOf);

async function hasReceipt(row: Route): Promise<void> {
  const { target, init } = callOf(row);
  const required = await requiredFor(gateway, callOf(row));
  const sinceSeconds = Math.floor(Date.now() / 1000);
  const response = await buy({ target, init });
  expect(response.status).toBe(200);
  const { issuedAt, ...said } = await verified(response);
  expect(said).toEqual({
    version: 1,
    network: NETWORKS[row.cluster ?? 'mainnet'],
    resourceUrl: required.resource?.url,
    payer: wallet.address,
    transaction: settledIn(response).transaction,
  });
  expect(issuedAt).toBeGreaterThanOrEqual(sinceSeconds);
  expect(issuedAt).toBeLessThanOrEqual(Date.now() / 1000);
}

describe("x402's own package verifies the receipt of", () => {
  it.each(ROWS.map((row) => [row.id, row] as const))('%s', (_, row) => hasReceipt(row));

  it('an undelivered paid answer that another payment fetches, and names the payment that paid', async () => {
    const route = callOf('wallet.mainnet.helius.balances');
    const head = { ...route, init: { ...route.init, method: 'HEAD' } };
    const [first, second] = [await paymentFor(gateway, route, wallet), await paymentFor(gateway, route, wallet)];
    await leaves(gateway, { transfers: 1, arrivals: 1 }, async () => {
      const { transaction } = settledIn(await sendPaid(gateway, head, first));
      expect(await verified(await sendPaid(gateway, route, second))).toMatchObject({ transaction });
    });
  });

  it('a payment in the header of version 1, with the same receipt in both headers', async () => {
    const payment = asVersion1(await paymentFor(gateway, call, wallet));
    const response = await send(gateway, call, { [HEADERS.version1Payment]: headerOf(payment) });
    expect(await verified(response)).toMatchObject({ network: NETWORKS.mainnet, payer: wallet.address });
    const [now, old] = [HEADERS.paymentResponse, HEADERS.version1PaymentResponse].map((name) =>
      settledIn(response, name),
    );
    expect([now?.network, old?.network]).toEqual([NETWORKS.mainnet, 'solana']);
    expect(old?.extensions).toEqual(now?.extensions);
  });
});

describe('a receipt', async () => {
  const bought = await buy();
  const receipt = receiptIn(bought);

  it('is compact JSON in the order of RFC 8785, and its extension has the members of one', async () => {
    const payload = Buffer.from(receipt.signature.split('.')[1] ?? '', 'base64url');
    expect(payload).toEqual(Buffer.from(getCanonicalBytes(partOf(receipt, 1))));
    expect(payload.toString()).toBe(canonicalize(partOf(receipt, 1)));
    const extension = settledIn(bought).extensions?.['offer-receipt'];
    expect(extension).toEqual({ info: { receipt }, schema: expect.objectContaining({ required: ['receipt'] }) });
  });

  it('names a key of the DID document of the origin that was paid', async () => {
    const { alg, kid, ...others } = partOf(receipt, 0);
    const { id, verificationMethod, assertionMethod } = await didDocumentOf(gateway);
    expect([alg, others]).toEqual(['EdDSA', {}]);
    expect(id).toBe(`did:web:127.0.0.1%3A${gateway.port}`);
    expect(verificationMethod.map((method) => method.id)).toEqual([kid]);
    expect(assertionMethod).toEqual([kid]);
  });

  it('names the loopback name that was dialled', async () => {
    const url = gateway.url.replace('127.0.0.1', 'localhost');
    const response = await wallet.buy(url + call.target, call.init);
    expect(partOf(receiptIn(response), 0).kid).toMatch(new RegExp(`^did:web:localhost%3A${gateway.port}#`));
    expect(await verified(response)).toMatchObject({ resourceUrl: url + call.target });
  });

  it('names the URL without its query if it is too long for a challenge', async () => {
    const long = callOf('wallet.mainnet.helius.transfers', { query: { cursor: 'x'.repeat(200) } });
    expect(gateway.url.length + long.target.length).toBeGreaterThan(256);
    const { resourceUrl } = await verified(await buy(long));
    expect(resourceUrl).toBe(gateway.url + long.target.split('?')[0]);
    expect(resourceUrl).toBe((await requiredFor(gateway, long)).resource?.url);
  });

  it('with another payer is not verified', async () => {
    const tampered = withPart(receipt, 1, { ...partOf(receipt, 1), payer: '1'.repeat(32) });
    await expect(verifyReceiptSignatureJWS(tampered)).rejects.toThrow('signature verification failed');
  });

  it('with an unpublished key is not verified', async () => {
    const kid = `did:web:127.0.0.1%3A${gateway.port}#another`;
    const forged = withPart(receipt, 0, { alg: 'EdDSA', kid });
    await expect(verifyReceiptSignatureJWS(forged)).rejects.toThrow('No verification method found');
  });

  it('is missing while the settlement is unknown, and given when the chain shows it', async () => {
    const { faults } = gateway.solana.mainnet;
    const payment = await paymentFor(gateway, call, wallet);
    Object.assign(faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
    const open = await sendPaid(gateway, call, payment).finally(() => faults.reset());
    expect([open.status, 'extensions' in settledIn(open)]).toEqual([503, false]);
    expect(settledIn(open).success).toBe(false);
    const { transaction } = settledIn(open);
    await vi.waitFor(async () => {
      const answer = await sendPaid(gateway, call, payment);
      expect(answer.status).toBe(200);
      expect(await verified(answer)).toMatchObject({ transaction });
    }, 30_000);
  });
});

it('a header with a receipt is at most as long as docs/receipts.md says', async () => {
  const [, most = ''] = /At most ([\d,]+) characters/.exec(readFileSync('docs/receipts.md', 'utf8')) ?? [];
  const { target } = callOf('wallet.mainnet.helius.transfers', { query: { cursor: 'x' } });
  const room = 256 - gateway.url.length - target.length;
  const longest = callOf('wallet.mainnet.helius.transfers', { query: { cursor: 'x'.repeat(1 + room) } });
  const length = (await buy(longest)).headers.get(HEADERS.paymentResponse)?.length ?? 0;
  expect(length).toBeLessThanOrEqual(Number(most.replace(',', '')));
  expect(length).toBeGreaterThan(Number(most.replace(',', '')) * 0.8);
});

it.each(['rpc.mainnet.helius.getBalance', 'das.devnet.helius.getAsset'])(
  "x402's own package verifies the receipt of a debit by signature, and when that comes again: %s",
  async (id) => {
    await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
      const headers = { [HEADERS.signIn]: await spendingHeader(gateway, callOf(id), credited.signIn) };
      const network = NETWORKS[id.includes('devnet') ? 'devnet' : 'mainnet'];
      for (const isAgain of [false, true]) {
        const response = await send(gateway, callOf(id), headers);
        expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, isAgain ? 'true' : null]);
        const { issuedAt: _issuedAt, ...said } = await verified(response);
        const resourceUrl = gateway.url + callOf(id).target;
        expect(said).toEqual({ version: 1, network, resourceUrl, payer: credited.address });
        const settled = { success: true, transaction: '', network, payer: credited.address, amount: '0' };
        expect(settledIn(response)).toMatchObject(settled);
      }
    });
  },
);

it("x402's own package verifies the receipt of a payment that was not needed", async () => {
  const payment = await paymentFor(gateway, call, credited);
  const covered = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => sendPaid(gateway, call, payment));
  expect(settledIn(covered)).toMatchObject({ success: true, transaction: '', amount: '0' });
  const said = await verified(covered);
  expect(said).toMatchObject({ payer: credited.address, network: NETWORKS.mainnet });
  expect(said).not.toHaveProperty('transaction');
});

it("x402's own package verifies the receipt of a call that is bought with credit", async () => {
  const bought = await sendPaid(gateway, call, await paymentOf(gateway, call, wallet, 50_000));
  expect([bought.status, bought.headers.get('credit')]).toEqual([200, expect.stringMatching(/^balance=\d+$/)]);
  expect((await verified(bought)).transaction).toBe(settledIn(bought).transaction);
});

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const ON = { RECEIPTS: 'on', GATEWAY_BASE_URL: 'https://gateway.example:8443' };
const devnetCall = callOf('rpc.devnet.helius.getBalance');

const solana = await startChains();

/** Looks at a gateway behind its public origin, dialled as a proxy dials it. */
async function withGateway<T>(variables: Environment, look: (gateway: SellingGateway) => Promise<T>): Promise<T> {
  const port = await freePort();
  const gateway = await startSellingGateway({ ...ON, PORT: String(port), ...variables }, { solana });
  return look({ ...gateway, url: `http://127.0.0.1:${port}`, port }).finally(() => gateway.stop());
}

/** The DID document of a gateway with these variables, and the receipt of a purchase from it. */
const seenWith = (variables: Environment): Promise<{ document: DidDocument; receipt: JWSSignedReceipt }> =>
  withGateway(variables, async (gateway) => {
    const wallet = await openWallet(solana);
    const bought = await wallet.buy(gateway.url + devnetCall.target, devnetCall.init);
    return { document: await didDocumentOf(gateway), receipt: receiptIn(bought) };
  });

type Seen = Awaited<ReturnType<typeof seenWith>>;

/** The public key of a key pair, as a JWK names it. */
const xOf = (keypair: Uint8Array): string => Buffer.from(keypair.subarray(32)).toString('base64url');
const xsOf = ({ verificationMethod }: DidDocument) => verificationMethod.map(({ publicKeyJwk }) => publicKeyJwk.x);

/** The key of a document that a receipt names. */
const keyFor = (receipt: JWSSignedReceipt, { verificationMethod }: DidDocument) =>
  verificationMethod.find(({ id }) => id === partOf(receipt, 0).kid)?.publicKeyJwk;

const verifiesWith = async (receipt: JWSSignedReceipt, document: DidDocument): Promise<void> => {
  const key = keyFor(receipt, document);
  expect(key).toBeDefined();
  expect(await verifyReceiptSignatureJWS(receipt, key)).toMatchObject({ version: 1 });
};

describe('the key of receipts', async () => {
  const secrets = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`, NEW];
  const seen = await Promise.all(secrets.map((GATEWAY_SECRET) => seenWith({ GATEWAY_SECRET })));
  const [before, rolling, rolled, over] = seen as [Seen, Seen, Seen, Seen];

  it('is named by the DID of the public origin and its thumbprint, at any dialled name', () => {
    const { id, verificationMethod } = before.document;
    const jwk = verificationMethod[0]?.publicKeyJwk;
    const canonical = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x: jwk?.x });
    const thumbprint = createHash('sha256').update(canonical).digest('base64url');
    expect(id).toBe('did:web:gateway.example%3A8443');
    expect(verificationMethod.map((method) => method.id)).toEqual([`${id}#${thumbprint}`]);
    expect(partOf(before.receipt, 1).resourceUrl).toBe(`${ON.GATEWAY_BASE_URL}${devnetCall.target}`);
  });

  it('depends on the secret alone, and verifies its receipts for as long as the secret is in the list', async () => {
    expect(over.document).not.toEqual(before.document);
    await verifiesWith(before.receipt, rolling.document);
    await verifiesWith(before.receipt, rolled.document);
    expect(keyFor(before.receipt, over.document)).toBeUndefined();
    await verifiesWith(rolled.receipt, over.document);
    expect(keyFor(rolled.receipt, rolling.document)).toEqual(keyFor(rolled.receipt, over.document));
  });

  it("can be several of RECEIPT_KEYPAIR in place of the secret's, of which the first signs and all are published", async () => {
    const [first, second] = [newKeypair(), newKeypair()];
    const RECEIPT_KEYPAIR = [first, second].map((each) => bs58.encode(each)).join(', ');
    const { document, receipt } = await seenWith({ RECEIPT_KEYPAIR });
    expect(xsOf(document)).toEqual([xOf(first), xOf(second)]);
    expect(keyFor(receipt, document)?.x).toBe(xOf(first));
    await verifiesWith(receipt, document);
  });
});

it('a key of receipts can be in a file, a JSON array or base58', () => {
  const keypair = newKeypair();
  const path = join(makeFolder(), 'receipts.json');
  writeFileSync(path, JSON.stringify([...keypair]));
  for (const RECEIPT_KEYPAIR of [path, JSON.stringify([...keypair]), bs58.encode(keypair)]) {
    const { receipts } = readConfig({ TOKENS_API_KEY: 'key', RECEIPTS: 'on', RECEIPT_KEYPAIR });
    expect(receipts?.keypairs.map((each) => Buffer.from(each))).toEqual([Buffer.from(keypair)]);
  }
});

describe('RECEIPTS=off', () => {
  it('removes receipts: no document, no row, no mention, no extension', async () => {
    await withGateway({ RECEIPTS: '' }, async ({ url }) => {
      expect((await fetch(`${url}/.well-known/did.json`)).status).toBe(404);
      for (const path of ['/openapi.json', '/llms.txt', '/v1/catalog'])
        expect(await (await fetch(url + path)).text()).not.toMatch(/did\.json|receipts of/);
      const wallet = await openWallet(solana);
      const response = await wallet.buy(url + devnetCall.target, devnetCall.init);
      expect(Object.keys(settledIn(response))).toEqual(['success', 'transaction', 'network', 'payer']);
      expect(response.headers.get(HEADERS.version1PaymentResponse)).toBeNull();
    });
  });

  it('says that a key pair is then good for nothing', () => {
    const keyed = { TOKENS_API_KEY: 'key', RECEIPT_KEYPAIR: bs58.encode(newKeypair()) };
    const [notice] = [expect.stringMatching(/^RECEIPT_KEYPAIR is set, but receipts are off/)];
    expect(readConfig(keyed).notices).toEqual([notice]);
    expect(readConfig({ ...keyed, RECEIPTS: 'on' }).notices).toEqual([]);
  });
});

it('RECEIPTS=on adds the DID document to the documents of the service, and to no challenge', async () => {
  await withGateway({}, async ({ url }) => {
    const [openApi, llms] = await Promise.all(
      ['/openapi.json', '/llms.txt'].map(async (path) => (await fetch(url + path)).text()),
    );
    expect(Object.keys(JSON.parse(openApi ?? '').paths)).toContain('/.well-known/did.json');
    expect(llms).toContain(`](${ON.GATEWAY_BASE_URL}/.well-known/did.json)`);
    const challenge = await (await fetch(url + devnetCall.target, devnetCall.init)).json();
    expect(Object.keys(challenge.extensions)).toEqual(['bazaar']);
    const head = await fetch(`${url}/.well-known/did.json`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(head.headers.get('access-control-allow-origin')).toBe('*');
    const tag = head.headers.get('etag') ?? '';
    expect((await fetch(`${url}/.well-known/did.json`, { headers: { 'If-None-Match': tag } })).status).toBe(304);
    expect((await fetch(`${url}/.well-known/did.json`, { method: 'POST' })).status).toBe(405);
  });
});

const RPC = callOf('rpc.mainnet.helius.getBalance');
const VARIABLES = { ...CREDIT, RECEIPTS: 'on', GATEWAY_SECRET: 's'.repeat(32) };

/** Asks with these headers and answers the receipt. */
async function receiptFor(gateway: SellingGateway, call: Example, headers: Record<string, string>): Promise<string> {
  const response = await send(gateway, call, headers);
  expect([response.status, response.ok ? '' : await response.clone().text()]).toEqual([200, '']);
  return receiptIn(response).signature;
}

/** Three ways to pay for a call: a payment that settles, one that credit covers, and a signature. */
async function meansOf(gateway: SellingGateway, call: Example) {
  const wallet = await openWallet(gateway.solana);
  const paid = { [HEADERS.payment]: headerOf(await paymentFor(gateway, call, wallet)) };
  const first = await receiptFor(gateway, call, paid);
  expect((await buyCredit(gateway, wallet)).status).toBe(200);
  const covered = { [HEADERS.payment]: headerOf(await paymentFor(gateway, call, wallet)) };
  const signed = { [HEADERS.signIn]: await spendingHeader(gateway, call, wallet.signIn) };
  return [
    { headers: paid, receipt: first },
    { headers: covered, receipt: await receiptFor(gateway, call, covered) },
    { headers: signed, receipt: await receiptFor(gateway, call, signed) },
  ];
}

/** Asks a gateway again, in a later second: receipts count seconds. */
async function expectSame(
  gateway: SellingGateway,
  means: Awaited<ReturnType<typeof meansOf>>,
  call = RPC,
): Promise<void> {
  await pause(1_100);
  for (const { headers, receipt } of means) expect(await receiptFor(gateway, call, headers)).toBe(receipt);
}

it('W9 the receipt of one purchase names the paid URL, also if the same request is written differently later', async () => {
  const gateway = await startSellingGateway(VARIABLES);
  const call = callOf('wallet.mainnet.helius.balances', { query: { limit: '5', page: '1' } });
  const [path = '', query = ''] = call.target.split('?');
  const turned = { ...call, target: `${path}?${query.split('&').reverse().join('&')}` };
  expect(turned.target).not.toBe(call.target);
  // A signature is for one URL as it is written.
  await expectSame(gateway, (await meansOf(gateway, call)).slice(0, 2), turned);
}, 60_000);

redisSuite('W9 on Redis', () =>
  postgresSuite('and PostgreSQL', () => {
    it('W9 the receipt of one purchase is the same whenever its answer is fetched again, also at another node', async () => {
      const [redis, postgres] = [await startRedis(), await openPostgresDatabase()];
      const variables = { ...VARIABLES, REDIS_URL: redis.url, DATABASE_URL: postgres.url };
      const one = await startSellingGateway(variables);
      const other = await startSellingGateway({ ...variables, GATEWAY_BASE_URL: one.url }, { solana: one.solana });
      onTestFinished(async () => {
        await other.stop();
        await one.stop();
        await redis.stop();
        await postgres.drop();
      });
      const means = await meansOf(one, RPC);
      for (const node of [one, other]) await expectSame(node, means);
    }, 60_000);
  }),
);

const example = (await import(pathToFileURL('examples/verify-receipt.mjs').href)) as {
  receiptOf(response: Response, wallet: string): Promise<{ readonly resourceUrl: string }>;
};

/** The same response as another host would give it, or with another receipt. */
function copyOf(response: Response, url: string, receipt = receiptIn(response)): Response {
  const settled = { ...settledIn(response), extensions: { 'offer-receipt': { info: { receipt } } } };
  const copy = new Response('', { headers: { [HEADERS.paymentResponse]: headerOf(settled) } });
  return Object.defineProperty(copy, 'url', { value: url });
}

describe('the function that the page of receipts links', async () => {
  const bought = await buy();

  it('believes the receipt of a purchase', async () => {
    expect((await example.receiptOf(bought, wallet.address)).resourceUrl).toBe(gateway.url + call.target);
    expect(await example.receiptOf(copyOf(bought, bought.url), wallet.address)).toBeDefined();
  });

  it('believes none that is for another wallet, or of another host', async () => {
    await expect(example.receiptOf(bought, '1'.repeat(32))).rejects.toThrow('another gateway');
    const elsewhere = copyOf(bought, 'https://gateway.example/');
    await expect(example.receiptOf(elsewhere, wallet.address)).rejects.toThrow('another gateway');
  });

  it('rejects a changed receipt, and reports a missing one', async () => {
    const receipt = receiptIn(bought);
    const changed = withPart(receipt, 1, { ...partOf(receipt, 1), issuedAt: 1 });
    await expect(example.receiptOf(copyOf(bought, bought.url, changed), wallet.address)).rejects.toThrow('signature');
    await expect(example.receiptOf(new Response(''), wallet.address)).rejects.toThrow('no receipt');
  });
});
