import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { type Offer, payWith } from '@asset-gateway/client/pay';
import { HEADERS, NETWORKS, USDC } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { associatedAddress } from '../../packages/sandbox/src/chain/token.ts';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { transferOf } from './forge-table.ts';
import { draftOf } from './forge-wire.ts';

/** A response of the gateway: body, status and headers. */
interface Reply {
  readonly body: unknown;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const PAYEE = signerFromBytes(newKeypair()).address;
const FEE_PAYER = signerFromBytes(newKeypair()).address;
/** A route of each cluster at a dollar a call. */
const LISTED = ['mainnet', 'devnet'].map((cluster) => ({ httpMethod: 'GET', path: `/${cluster}`, priceUsd: '1' }));
const SOLD: Reply = { status: 200, body: { ok: true } };

const requirement = (change: object = {}) => ({
  scheme: 'exact',
  network: NETWORKS.devnet,
  amount: '5',
  asset: USDC.devnet,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra: { feePayer: FEE_PAYER, memo: 'x'.repeat(32) },
  ...change,
});

const asking = (...accepts: unknown[]): Reply => ({
  body: { x402Version: 2, error: 'payment_required', resource: { url: 'http://x/' }, accepts, extensions: {} },
});

const solana = await startSolanaSandbox({ key: 'CANARY_0123456789_provider_key' });
const keypair = newKeypair();
const payer = signerFromBytes(keypair);
for (const cluster of ['mainnet', 'devnet'] as const) await solana[cluster].fundUsdc(payer.address, 1_000_000n);
let replies: Reply[] = [];
let requests: IncomingHttpHeaders[] = [];
const server = createServer((request, response) => {
  if (request.url === '/v1/catalog') return void response.end(JSON.stringify({ routes: LISTED }));
  requests.push(request.headers);
  const { body, status = 402, headers = {} } = replies.shift() ?? SOLD;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  server.close();
  await solana.close();
});

interface AskSettings {
  readonly approve?: (offer: Offer) => boolean;
  /** Names the cluster that is paid on. */
  readonly path?: string;
}

/** Asks a gateway that gives these replies. Returns the outcome and the offers shown for approval. */
async function ask(given: readonly Reply[], { approve = () => true, path = '/devnet' }: AskSettings = {}) {
  replies = [...given];
  requests = [];
  const shown: Offer[] = [];
  const client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signer: payer,
    pay: payWith({
      wallet: keypair,
      rpcUrl: (network) => (network === NETWORKS.mainnet ? solana.mainnet : solana.devnet).url,
      caps: { perCallUsd: 1 },
      approve: (offer) => {
        shown.push(offer);
        if (!approve(offer)) throw new Error('too dear');
      },
    }),
  });
  const outcome = await client.ask(path).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  return { outcome, shown };
}

/** The requirement and the transfer of each payment that was sent. */
function paid() {
  const sent = requests.flatMap((headers) => headers[HEADERS.payment.toLowerCase()] ?? []);
  return sent.map((header) => {
    const { accepted, payload } = JSON.parse(atob(String(header)));
    const draft = draftOf(Buffer.from(payload.transaction, 'base64'));
    const { data, accounts } = transferOf(draft);
    const [, mint, destination] = accounts.map((index) => draft.keys[index]);
    const amount = Buffer.from(data).readBigUInt64LE(1);
    return { accepted, moved: { amount, mint, destination }, instructions: draft.instructions.length };
  });
}

type Asked = ReturnType<typeof requirement>;

/** Shows that a client that gets these replies shows, claims and moves this offer once, and nothing else. */
async function expectPaid(
  given: readonly Reply[],
  asked: Asked,
  path?: string,
  expected: unknown = 200,
): Promise<void> {
  const { outcome, shown } = await ask(given, path === undefined ? {} : { path });
  expect(outcome).toEqual(expected);
  const { network, asset, payTo, amount, extra } = asked;
  expect(shown).toEqual([{ network, asset, payTo, amount, memo: extra.memo }]);
  const moved = { amount: BigInt(amount), mint: asset, destination: await associatedAddress(payTo, asset) };
  expect(paid()).toEqual([{ accepted: asked, moved, instructions: 4 }]);
}

const NOTHING = /^none of the payments can be made: /;

describe('the client pays exactly the offer that it showed', () => {
  const first = requirement();
  const dear = requirement({ amount: '900000' });

  it('when the gateway takes two amounts', () => expectPaid([asking(first, dear)], first));

  it("when x402's client would rather pay the second", async () => {
    const upfront = requirement({ extra: { ...first.extra, paymentFlow: 'upfront' } });
    await expectPaid([asking(upfront, dear)], upfront);
  });

  it.each([
    ['of another scheme', { scheme: 'upto' }],
    ['on an unknown network', { network: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z' }],
    ['on another chain', { network: 'eip155:8453' }],
    ['in the mint of the other network', { asset: USDC.mainnet }],
    ['in another mint', { asset: PAYEE }],
    ['in digits that are none', { amount: '5 ' }],
    ['to nobody', { payTo: undefined }],
  ])('when the first of the two is %s', async (_, change) => {
    await expectPaid([asking(requirement(change), dear)], dear);
  });

  it('when the header says other than the body', async () => {
    const header = Buffer.from(JSON.stringify(asking(dear).body)).toString('base64');
    await expectPaid([{ ...asking(first), headers: { [HEADERS.paymentRequired]: header } }], first);
  });

  it('on mainnet as well', async () => {
    const onMainnet = requirement({ network: NETWORKS.mainnet, asset: USDC.mainnet });
    await expectPaid([asking(onMainnet)], onMainnet, '/mainnet');
  });

  it('no more than that, if the second 402 asks more', async () => {
    const refused = expect.stringMatching(/^a payment of \$0\.000005 was sent and refused /);
    await expectPaid([asking(first), asking(dear), asking(dear)], first, '/devnet', refused);
    expect(requests).toHaveLength(2);
  });

  it('once, when the answer is long in coming', async () => {
    const busy: Reply = { status: 503, body: {}, headers: { 'Retry-After': '0' } };
    const { outcome, shown } = await ask([asking(first), busy, busy]);
    expect(outcome).toBe(200);
    expect(shown).toHaveLength(1);
    expect(new Set(paid().map((each) => JSON.stringify(each.accepted))).size).toBe(1);
    expect(new Set(requests.slice(1).map((headers) => headers[HEADERS.payment.toLowerCase()])).size).toBe(1);
  });
});

describe('nothing is signed or sent', () => {
  const { amount, ...withoutAmount } = requirement();
  const unpayable: [string, Reply][] = [
    ...['5e5', '5 ', ' 5', '5\n', '5\t', '+5', '-5', '0x5', '5.0', '05', '0', '', '٥', '9'.repeat(30)].map(
      (amount): [string, Reply] => [`of the amount ${JSON.stringify(amount)}`, asking(requirement({ amount }))],
    ),
    ['of an amount that is a number', asking(requirement({ amount: 5 }))],
    ['of an amount in a list', asking(requirement({ amount: ['5'] }))],
    ['of another mint', asking(requirement({ asset: PAYEE }))],
    ["of the other network's mint", asking(requirement({ asset: USDC.mainnet }))],
    ['of a payee that would write to the terminal', asking(requirement({ payTo: `\u001b[2K${PAYEE}` }))],
    ['of another scheme', asking(requirement({ scheme: 'upto' }))],
    ['that are no requirements', asking(null, 'exact', 5, [])],
    ['of version 1', { body: { x402Version: 1, accepts: [{ ...withoutAmount, maxAmountRequired: amount }] } }],
    ['of version 1 with an amount', { body: { x402Version: 1, accepts: [requirement()] } }],
    ['of no version', { body: { accepts: [requirement()] } }],
  ];

  it.each(unpayable)('where a 402 accepts payments %s alone; a sentence says so', async (_, reply) => {
    const { outcome, shown } = await ask([reply]);
    expect(outcome).toMatch(NOTHING);
    expect([shown, requests.length, paid()]).toEqual([[], 1, []]);
  });

  it.each([
    ['nothing', { x402Version: 2, accepts: [] }],
    ['no list', { x402Version: 2, accepts: requirement() }],
    ['no JSON object', null],
  ])('where a 402 accepts %s; it is handed on', async (_, body) => {
    const { outcome, shown } = await ask([{ body }]);
    expect([outcome, shown, requests.length]).toEqual([402, [], 1]);
  });

  it('where the offer is not approved', async () => {
    const approve = ({ amount }: Offer): boolean => amount === '1';
    const { outcome } = await ask([asking(requirement(), requirement({ amount: '1' }))], { approve });
    expect([outcome, requests.length]).toEqual(['too dear', 1]);
  });

  it('where the payer would have to pay the fee', async () => {
    const { outcome, shown } = await ask([asking(requirement({ extra: { feePayer: payer.address } }))]);
    expect([outcome, shown.length]).toEqual([expect.stringContaining('it was not sent'), 1]);
    expect(requests).toHaveLength(1);
  });
});
