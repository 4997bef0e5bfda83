import { HEADERS, NETWORKS, type PaymentRequired, Refusal, SIWX_EXTENSION } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../packages/gateway/src/call.ts';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import { CreditGate } from '../../packages/gateway/src/gates/credit.ts';
import { ExactGate } from '../../packages/gateway/src/gates/exact.ts';
import { Nonces } from '../../packages/gateway/src/gates/siwx/nonce.ts';
import type { PaymentDependencies } from '../../packages/gateway/src/payments/dependencies.ts';
import type { Facilitator } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import type { CreditSale } from '../../packages/gateway/src/payments/payer.ts';
import { Memos } from '../../packages/gateway/src/payments/read/requirement.ts';
import { standIn } from '../kit/stand-in.ts';

const SECRETS = ['a secret of at least thirty-two letters'];
const ORIGIN = 'https://gw.example';
const NOW_MS = Date.UTC(2026, 10, 20);
const network = NETWORKS.mainnet;
const [PRICE, LIST, BUNDLE] = [9, 5, 50_000];
const OFFER = { network, asset: 'usdc', payTo: 'payee', destination: 'account' };
const memos = new Memos(nodeCrypto, SECRETS);

type Asked = Omit<PaymentRequired, 'accepts' | 'extensions'> & {
  readonly accepts: readonly { readonly amount: string; readonly extra: Readonly<Record<string, string>> }[];
  readonly extensions?: { readonly [SIWX_EXTENSION]?: { readonly info: { readonly uri: string } } };
};

type Parts = {
  readonly facilitator?: Partial<Facilitator>;
  readonly credit?: Partial<CreditSale>;
  /** The amount of one call; empty where only bundles are sold. */
  readonly amount?: string;
};

/** A gate whose facilitator has a fee payer, unless the test says otherwise. */
function open({ facilitator, credit, amount = String(PRICE) }: Parts = {}) {
  const calls = { originOf: () => ORIGIN, receipts: undefined, randomId: () => 'id' };
  const dependencies = standIn<PaymentDependencies>({
    ...{ calls, memos, facilitator: { feePayer: () => 'fee payer', ...facilitator } },
    payments: { now: () => NOW_MS },
  });
  const offer = { ...OFFER, amount };
  const describeRoute = () => ({ resource: { description: 'A route' }, discoveries: [] });
  const payments = new ExactGate(dependencies, {
    ...{ offer, credit: credit as CreditSale | undefined },
    describe: describeRoute as never,
  });
  const clocks = { now: () => NOW_MS, wallNow: () => NOW_MS };
  const signIn = { crypto: nodeCrypto, nonces: new Nonces(nodeCrypto, SECRETS), clocks };
  const parts = { calls, signIn, network, priceMicros: LIST };
  return { payments, spending: new CreditGate({ ...parts, debiting: {} as never }, payments) };
}

const callOf = (headers: Call['inbound']['headers'] = {}, path = '/v1/x', query?: string): Call =>
  standIn<Call>({
    ...{ inbound: { headers, body: Buffer.of() }, route: { id: 'r', upstream: {} } },
    ...{ method: 'GET', parameters: {}, path, query },
  });

/** The challenge of a gate, as its header says. */
function asked(gate: ExactGate | CreditGate, call = callOf()): Asked {
  const { headers } = gate.challenge(call, 'payment_required') ?? { headers: {} };
  const header = (headers as Record<string, string>)[HEADERS.paymentRequired] ?? '';
  return JSON.parse(Buffer.from(header, 'base64').toString()) as Asked;
}

const amountsOf = ({ accepts }: Asked) => accepts.map(({ amount }) => amount);
/** Which requirements tell a person the price. */
const pricesOf = ({ accepts }: Asked) => accepts.map(({ extra }) => [extra.priceUsd, extra.creditPriceUsd]);

/** The part of each amount that becomes credit. */
const creditsOf = ({ accepts }: Asked) =>
  accepts.map(({ amount, extra }) => memos.provenCredit(String(extra.memo), { ...OFFER, amount }));

describe('the challenge of a paid route', () => {
  it('asks for the price of one call', () => {
    const required = asked(open().payments);
    expect(required).toMatchObject({ error: 'payment_required', resource: { url: `${ORIGIN}/v1/x` } });
    expect(required.accepts).toMatchObject([{ network, payTo: 'payee', extra: { feePayer: 'fee payer' } }]);
    expect([amountsOf(required), pricesOf(required)]).toEqual([[String(PRICE)], [[undefined, undefined]]]);
  });

  it('asks for the price of one call or for a bundle, whose rest becomes credit', () => {
    const required = asked(open({ credit: { priceMicros: LIST, bundles: [BUNDLE] } }).payments);
    expect(amountsOf(required)).toEqual([String(PRICE), String(BUNDLE)]);
    expect(creditsOf(required)).toEqual([0, BUNDLE - LIST]);
    expect(pricesOf(required)).toEqual([
      ['0.000009', '0.000005'],
      [undefined, undefined],
    ]);
  });

  it('asks for bundles alone where a single call has no price', () => {
    const required = asked(
      open({ amount: '', credit: { priceMicros: undefined, bundles: [BUNDLE, 2 * BUNDLE] } }).payments,
    );
    expect(amountsOf(required)).toEqual([String(BUNDLE), String(2 * BUNDLE)]);
    expect(creditsOf(required)).toEqual([BUNDLE, 2 * BUNDLE]);
  });

  it('is missing while no fee payer is known, and nothing can be bought', () => {
    const { payments } = open({ facilitator: { feePayer: () => undefined } });
    expect(payments.challenge(callOf(), 'payment_required')).toBeUndefined();
    expect(() => payments.assertOpen()).toThrow('no fee payer known yet');
  });
});

describe('a route that is closed', () => {
  it('refuses for now, and says why to the operator', () => {
    const { payments } = open({ facilitator: { whyClosed: () => 'no SOL' } });
    const refused = new Refusal('facilitator_unavailable', { reason: 'no SOL', payment: { state: 'unused' } });
    expect(() => payments.assertOpen()).toThrow(refused);
  });

  it('is open again when its facilitator says so, or never closes', () => {
    for (const facilitator of [{ whyClosed: () => undefined }, {}])
      expect(() => open({ facilitator }).payments.assertOpen()).not.toThrow();
  });
});

describe('the challenge of a route that takes credit', () => {
  const { spending } = open({ credit: { priceMicros: LIST, bundles: [] } });
  const offers = (headers: Call['inbound']['headers']) =>
    SIWX_EXTENSION in (asked(spending, callOf(headers)).extensions ?? {});

  it.each([
    ['credit', true],
    ['Credit', true],
    ['credit; a=1', true],
    [['wait=10', 'return=minimal, credit'], true],
    ['respond-async, credit', true],
    [undefined, false],
    ['', false],
    [[], false],
    ['credits', false],
    ['wait=10; credit', false],
  ])('answers Prefer: %j; it offers a signature: %j', (prefer, isOffered) => {
    expect(offers({ prefer } as Call['inbound']['headers'])).toBe(isOffered);
  });

  it('offers a signature to a client that has sent one', () => {
    expect(offers({ [HEADERS.signIn.toLowerCase()]: 'e30=' })).toBe(true);
  });

  it.each([
    ['its path and query', '/v1/x', 'a=1', '/v1/x?a=1'],
    ['its path without a query that is too long', '/v1/x', 'a'.repeat(300), '/v1/x'],
    ['its path, however long it is', `/v1/${'x'.repeat(300)}`, undefined, `/v1/${'x'.repeat(300)}`],
  ])('names %s', (_, path, query, named) => {
    const { extensions } = asked(spending, callOf({ prefer: 'credit' }, path, query));
    const info = extensions?.[SIWX_EXTENSION]?.info;
    expect(info).toMatchObject({ uri: ORIGIN + named, nonce: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });
});
