import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { type Environment, readConfig } from '@asset-gateway/gateway';
import { HEADERS } from '@asset-gateway/protocol';
import { type JWSSignedReceipt, verifyReceiptSignatureJWS } from '@x402/extensions/offer-receipt';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { makeFolder } from '../kit/folder.ts';
import { type SellingGateway, startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { callOf } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { type DidDocument, didDocumentOf, type Jwk, partOf, receiptIn, settledIn } from './kit.ts';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const ON = { RECEIPTS: 'on', GATEWAY_BASE_URL: 'https://gateway.example:8443' };
const call = callOf('rpc.devnet.helius.getBalance');

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
    const bought = await wallet.buy(gateway.url + call.target, call.init);
    return { document: await didDocumentOf(gateway), receipt: receiptIn(bought) };
  });

type Seen = Awaited<ReturnType<typeof seenWith>>;

/** The public key of a key pair, as a JWK names it. */
const xOf = (keypair: Uint8Array): string => Buffer.from(keypair.subarray(32)).toString('base64url');
const xsOf = ({ verificationMethod }: DidDocument) => verificationMethod.map(({ publicKeyJwk }) => publicKeyJwk.x);

/** The key of a document that a receipt names. */
const keyFor = (receipt: JWSSignedReceipt, { verificationMethod }: DidDocument): Jwk | undefined =>
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
    expect(partOf(before.receipt, 1).resourceUrl).toBe(`${ON.GATEWAY_BASE_URL}${call.target}`);
  });

  it('depends on the secret alone, and verifies its receipts for as long as the secret is in the list', async () => {
    expect(over.document).not.toEqual(before.document);
    await verifiesWith(before.receipt, rolling.document);
    await verifiesWith(before.receipt, rolled.document);
    expect(keyFor(before.receipt, over.document)).toBeUndefined();
    await verifiesWith(rolled.receipt, over.document);
    expect(keyFor(rolled.receipt, rolling.document)).toEqual(keyFor(rolled.receipt, over.document));
  });

  it('can be several of RECEIPT_KEYPAIR, and none of the secret: the first signs, all are published', async () => {
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
  it('leaves nothing of receipts: no document, no row, no word of it, no extension', async () => {
    await withGateway({ RECEIPTS: '' }, async ({ url }) => {
      expect((await fetch(`${url}/.well-known/did.json`)).status).toBe(404);
      for (const path of ['/openapi.json', '/llms.txt', '/v1/catalog'])
        expect(await (await fetch(url + path)).text()).not.toMatch(/did\.json|receipts of/);
      const wallet = await openWallet(solana);
      const response = await wallet.buy(url + call.target, call.init);
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
    const challenge = await (await fetch(url + call.target, call.init)).json();
    expect(Object.keys(challenge.extensions)).toEqual(['bazaar']);
    const head = await fetch(`${url}/.well-known/did.json`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(head.headers.get('access-control-allow-origin')).toBe('*');
    const tag = head.headers.get('etag') ?? '';
    expect((await fetch(`${url}/.well-known/did.json`, { headers: { 'If-None-Match': tag } })).status).toBe(304);
    expect((await fetch(`${url}/.well-known/did.json`, { method: 'POST' })).status).toBe(405);
  });
});
