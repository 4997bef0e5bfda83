import { createClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { type Offer, offerIn, payWith } from '@asset-gateway/client/pay';
import { HEADERS, NETWORKS, USDC } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { assertPays } from '../../packages/client/src/payment-check.ts';
import { startChain } from '../../packages/sandbox/src/chain/chain.ts';
import { associatedAddress } from '../../packages/sandbox/src/chain/token.ts';
import { asking, payTo, requirement } from '../client/offers.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { addressOf, carrying, draftOf, signed } from './drafts.ts';
import { openMarket } from './forge.ts';
import {
  at,
  LIMIT,
  LOOKUP_FORGERIES,
  MEMO_FORGERIES,
  TRANSFER,
  TRANSFER_FORGERIES,
  UNCOPIED_MEMOS,
} from './forgeries.ts';

/** A response of the gateway: body, status and headers. */
interface Reply {
  readonly body: unknown;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const CATALOG = { routes: [{ httpMethod: 'GET', path: '/paid', priceUsd: '1' }] };
const offering = (...accepts: unknown[]): Reply => ({ body: asking(accepts) });

const gateway = await startStrangeGateway();
const chain = await startChain({ cluster: 'mainnet' });
const keypair = newKeypair();
const payer = signerFromBytes(keypair);
await chain.fundUsdc(payer.address, 1_000_000n);
afterAll(() => chain.close());

const requests = () => gateway.arrivals.filter(({ path }) => !path.startsWith('/v1/catalog'));

/** The payments that were sent. */
const payments = () => requests().flatMap(({ headers }) => headers[HEADERS.payment.toLowerCase()] ?? []);

/** Asks a gateway that gives this reply, and sells to the next request. Returns the outcome and the offers shown for approval. */
async function ask({ body, status = 402, headers }: Reply, isApproved: (offer: Offer) => boolean = () => true) {
  gateway.answer(({ path }, response) => {
    if (path.startsWith('/v1/catalog')) return json(response, 200, CATALOG);
    if (requests().length === 1) return json(response, status, body, headers);
    json(response, 200, { ok: true });
  });
  const shown: Offer[] = [];
  const approve = (offer: Offer) => {
    shown.push(offer);
    if (!isApproved(offer)) throw new Error('too dear');
  };
  const pay = payWith({ wallet: keypair, rpcUrl: chain.url, caps: { perCallUsd: 1 }, approve });
  const client = createClient({ baseUrl: gateway.url, signer: payer, pay });
  const outcome = await client.ask('/paid').then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  return { outcome, shown };
}

/** The requirement and the transfer of each payment that was sent. */
function paid() {
  return payments().map((header) => {
    const { accepted, payload } = JSON.parse(atob(String(header)));
    const draft = draftOf(Buffer.from(payload.transaction, 'base64'));
    const { data, accountIndices } = at(draft, TRANSFER);
    const [, mint, destination] = accountIndices.map((index) => draft.staticAccounts[index]);
    const amount = Buffer.from(data).readBigUInt64LE(1);
    return { accepted, moved: { amount, mint, destination }, instructions: draft.instructions.length };
  });
}

const NOTHING = expect.stringMatching(/^none of the payments can be made: /);

const first = requirement();
const dear = requirement({ amount: '900000' });
const upfront = requirement({ extra: { ...first.extra, paymentFlow: 'upfront' } });
const otherHeader = { [HEADERS.paymentRequired]: Buffer.from(JSON.stringify(offering(dear).body)).toString('base64') };
const unpayable: Readonly<Record<string, object>> = {
  'of another scheme': { scheme: 'upto' },
  'on an unknown network': { network: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z' },
  'on another chain': { network: 'eip155:8453' },
  'in the mint of the other network': { asset: USDC.devnet },
  'in another mint': { asset: payTo },
  'in digits that are none': { amount: '5 ' },
  'without a payee': { payTo: undefined },
};

describe('the client shows, claims and moves one offer', () => {
  it.each<[string, Reply, ReturnType<typeof requirement>]>([
    ['the gateway takes two amounts', offering(first, dear), first],
    ["x402's client would rather pay the second", offering(upfront, dear), upfront],
    ['the header says other than the body', { ...offering(first), headers: otherHeader }, first],
    ...Object.entries(unpayable).map(([name, change]): [string, Reply, typeof dear] => [
      `the first of the two is ${name}`,
      offering(requirement(change), dear),
      dear,
    ]),
  ])('when %s', async (_, reply, asked) => {
    const { outcome, shown } = await ask(reply);
    expect(outcome).toBe(200);
    const { network, asset, payTo, amount, extra } = asked;
    expect(shown).toEqual([{ network, asset, payTo, amount, memo: extra.memo }]);
    const moved = { amount: BigInt(amount), mint: asset, destination: await associatedAddress(payTo, asset) };
    expect(paid()).toEqual([{ accepted: asked, moved, instructions: 4 }]);
  });
});

describe('nothing is signed or sent', () => {
  const { amount, ...withoutAmount } = requirement();
  const amounts = ['5e5', '5 ', ' 5', '5\n', '+5', '-5', '0x5', '5.0', '05', '0', '', '٥', '9'.repeat(30), 5, ['5']];
  type Row = [name: string, reply: Reply, outcome: unknown];
  const wrong = (name: string, change: object): Row => [name, offering(requirement(change)), NOTHING];
  it.each<Row>([
    ...amounts.map((amount) => wrong(`payments of the amount ${JSON.stringify(amount)}`, { amount })),
    ...Object.entries(unpayable).map(([name, change]) => wrong(`payments ${name}`, change)),
    wrong('a payee that would write to the terminal', { payTo: `\u001b[2K${payTo}` }),
    ['payments that are no requirements', offering(null, 'exact', 5, []), NOTHING],
    ['version 1', { body: { x402Version: 1, accepts: [{ ...withoutAmount, maxAmountRequired: amount }] } }, NOTHING],
    ['version 1 with an amount', { body: { x402Version: 1, accepts: [requirement()] } }, NOTHING],
    ['no version', { body: { accepts: [requirement()] } }, NOTHING],
    ['nothing', { body: { x402Version: 2, accepts: [] } }, 402],
    ['no list', { body: { x402Version: 2, accepts: requirement() } }, 402],
    ['no JSON object', { body: null }, 402],
  ])('where a 402 accepts %s', async (_, reply, expected) => {
    const { outcome, shown } = await ask(reply);
    expect([outcome, shown, requests().length, paid()]).toEqual([expected, [], 1, []]);
  });

  it('where the offer is not approved', async () => {
    const reply = offering(requirement(), requirement({ amount: '1' }));
    const { outcome } = await ask(reply, ({ amount }) => amount === '1');
    expect([outcome, requests().length]).toEqual(['too dear', 1]);
  });

  it('where the payer would have to pay the fee', async () => {
    const { outcome, shown } = await ask(offering(requirement({ extra: { feePayer: payer.address } })));
    expect([outcome, shown.length]).toEqual([expect.stringContaining('it was not sent'), 1]);
    expect(requests()).toHaveLength(1);
  });
});

const market = await openMarket();
afterAll(() => market.chain.close());
const [marketPayer, stranger] = [addressOf(market.payer), addressOf(newKeypair())];
const genuine = market.genuine.payload;
const offer = offerIn(market.required) as Offer;
const approved = { offer, payer: marketPayer, blockhash: market.genuine.draft.lifetimeToken };

const carryingWire = (wire: Uint8Array) => carrying(market.genuine.payload, wire);

describe('a payment is sent', () => {
  it('as x402’s own client makes it', async () => {
    await expect(assertPays(genuine, approved)).resolves.toMatch(/./);
  });

  it('with another bid for compute units', async () => {
    const draft = draftOf(market.genuine.wire);
    at(draft, LIMIT).data = Uint8Array.from([2, 0, 0, 1, 0]);
    const payment = carryingWire(signed(draft, [market.payer]));
    await expect(assertPays(payment, approved)).resolves.toMatch(/./);
  });
});

const FORGERIES = [...TRANSFER_FORGERIES, ...MEMO_FORGERIES, ...UNCOPIED_MEMOS, ...LOOKUP_FORGERIES];

describe('a payment is not sent', () => {
  it.each(FORGERIES)('with $name', async ({ make }) => {
    const payment = carryingWire(make({ ...market.genuine, draft: draftOf(market.genuine.wire) }, market));
    await expect(assertPays(payment, approved)).rejects.toThrow(/^the payment differs from the approved offer/);
  });

  it.each([
    ['scheme', 'upto'],
    ['network', NETWORKS.mainnet],
    ['asset', USDC.mainnet],
    ['payTo', stranger],
    ['amount', '900000'],
    ['amount', undefined],
  ])('that claims to be for another %s: %s', async (name, value) => {
    const accepted = { ...(genuine.accepted as object), [name]: value };
    await expect(assertPays({ ...genuine, accepted }, approved)).rejects.toThrow(/differs from the approved offer/);
  });

  it.each<[string, Partial<Offer>]>([
    ['amount', { amount: '6' }],
    ['payee', { payTo: stranger }],
    ['network', { network: NETWORKS.mainnet }],
  ])('when another %s was approved', async (_, change) => {
    const other = { ...approved, offer: { ...offer, ...change } };
    await expect(assertPays(genuine, other)).rejects.toThrow(/it was not sent/);
  });

  it('that is no transaction at all', async () => {
    await expect(assertPays({ ...genuine, payload: { transaction: 'AAAA' } }, approved)).rejects.toThrow();
    await expect(assertPays({ ...genuine, payload: {} }, approved)).rejects.toThrow();
  });
});
