import { type Route, type Rule, routes, type Values } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ofEachMethod } from '../http/targets.ts';
import { rounds } from '../kit/rounds.ts';
import { startSellingGateway, startTestGateway } from '../kit/test-gateway.ts';
import { bodyOf, callOf, leavesNoTrace, paymentFor, ROOMY, sendPaid } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { refusedForFree, requestOf } from '../upstream/caller.ts';
import {
  type Carried,
  carriedBy,
  changedRequestsOf,
  isTaken,
  type Published,
  publishedOf,
  refusalOf,
  requestsOf,
  send,
} from './requests.ts';

/** A longer target is refused on every route, before any row is looked for; so are bodies, which are not measured here. */
const MAX_TARGET_LENGTH = 8192;

const brokenRules = ({ rules }: Route, carried: Carried): string[] =>
  rules.filter(({ in: place, holds }) => !holds(carried[place] as Values)).map(({ name }) => name);

/** Whether the gateway agrees with the published schemas and rules. */
function agrees(route: Route, schemas: Published, carried: Carried): boolean {
  const sent = send(route, carried);
  const refusal = refusalOf(route, sent);
  const read = carriedBy(carried, schemas);
  if (!isTaken(read, schemas)) return refusal !== undefined;
  if (sent.target.length > MAX_TARGET_LENGTH) return refusal === 'uri_too_long';
  const broken = brokenRules(route, read);
  return broken.length === 0 ? refusal === undefined : JSON.stringify(refusal) === JSON.stringify(broken);
}

const rows = ofEachMethod.map((route) => [route.id, route, publishedOf(route)] as const);

const runs = { numRuns: rounds(50) * 25 };

describe.each(rows)('%s', (_, route, schemas) => {
  it('accepts what its schemas and rules accept', () => {
    const property = fc.property(requestsOf(schemas), (carried) => {
      expect(carriedBy(carried, schemas)).toEqual(carried);
      expect(isTaken(carried, schemas)).toBe(true);
      expect(agrees(route, schemas, carried), JSON.stringify(send(route, carried))).toBe(true);
    });
    fc.assert(property, runs);
  });

  it('refuses what its schemas refuse', () => {
    let refused = 0;
    const property = fc.property(changedRequestsOf(schemas, route), (carried) => {
      expect(agrees(route, schemas, carried), JSON.stringify(send(route, carried))).toBe(true);
      if (!isTaken(carriedBy(carried, schemas), schemas)) refused++;
    });
    fc.assert(property, runs);
    expect(refused).toBeGreaterThan(0);
  });
});

const segments = new Set(routes.flatMap(({ path }) => path.split('/')).filter((segment) => /^\w/.test(segment)));
const withId = routes.filter(({ path }) => path.includes(':assetId')).map((route) => [route.id, route] as const);

it.each(withId)('%s takes no asset id that is a fixed route', (_, route) => {
  expect(segments).toContain('market-snapshots');
  for (const assetId of segments) {
    const carried = { path: { assetId }, query: {}, body: {} };
    expect(agrees(route, publishedOf(route), carried), assetId).toBe(true);
  }
});

const gateway = await startTestGateway();
const sellingGateway = await startSellingGateway(ROOMY);

const ADDRESS = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const NO_ADDRESSES = ['1'.repeat(33), 'a'.repeat(32), 'z'.repeat(44)];

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

function counts(maximum: number, one: string, other: string): Values[] {
  const pair = (a: number, b: number): Values => ({ [one]: ids(a), [other]: ids(b) });
  return [{}, pair(maximum, 1), pair(1, maximum), pair(maximum / 2, maximum / 2 + 1)];
}

/** Values that break each rule of a row and are otherwise valid. Add new rules here. */
const BREAKING: Readonly<Record<string, readonly Values[]>> = {
  'tokens.resolve exactlyOne': [{}, { ref: 'sol', mint: ADDRESS }],
  'tokens.marketSnapshots combinedCount': [...counts(250, 'mints', 'addresses'), { mints: [] }],
  'tokens.variantMarkets combinedCount': counts(50, 'mints', 'addresses'),
  'tokens.assetDetail notBefore': [{ ohlcvFrom: 6, ohlcvTo: 5 }],
  'tokens.ohlcv notBefore': [{ from: 6, to: 5 }],
  'tokens.priceChart notBefore': [{ from: Number.MAX_SAFE_INTEGER, to: 0 }],
  'rpc.getTokenAccountsByOwner exactlyOne': [
    { params: [ADDRESS, {}] },
    { params: [ADDRESS, { mint: ADDRESS, programId: ADDRESS }] },
  ],
  'wallet.identity wallet': NO_ADDRESSES.map((wallet) => ({ wallet })),
  'wallet.batchIdentity wallet': NO_ADDRESSES.map((wallet) => ({ wallets: [ADDRESS, 'toly.sol', wallet] })),
  'wallet.balances wallet': NO_ADDRESSES.map((wallet) => ({ wallet })),
  'wallet.history wallet': NO_ADDRESSES.map((wallet) => ({ wallet })),
  'wallet.transfers wallet': NO_ADDRESSES.map((wallet) => ({ wallet })),
  'wallet.fundedBy wallet': NO_ADDRESSES.map((wallet) => ({ wallet })),
};

const cases = routes.flatMap((route) =>
  route.rules.map((rule) => [`${route.surface}.${route.method} ${rule.name}`, route, rule] as const),
);

/** The requests that break this rule. */
const breaking = (name: string, { example }: Route, { in: place }: Rule) =>
  (BREAKING[name] ?? []).map((values) => ({ path: {}, query: {}, body: {}, ...example, [place]: values }));

async function refusedPaid(route: Route, requests: ReturnType<typeof breaking>, expected: object): Promise<void> {
  const payer = await openWallet(sellingGateway.solana, 0n);
  for (const request of requests) {
    const call = callOf(route, request);
    const payment = await paymentFor(sellingGateway, call, payer);
    const response = await leavesNoTrace(sellingGateway, () => sendPaid(sellingGateway, call, payment));
    const { error, issues, payment: state } = await bodyOf(response);
    expect({ status: response.status, error, issues }).toEqual(expected);
    expect(state).toEqual({ state: 'unused' });
  }
}

it('breaks every rule', () => {
  expect(new Set(cases.map(([name]) => name))).toEqual(new Set(Object.keys(BREAKING)));
});

describe.each(cases)('%s', (name, route, rule) => {
  const requests = breaking(name, route, rule);

  it('is not part of the schemas', () => {
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) {
      expect(isTaken(request, publishedOf(route))).toBe(true);
      const broken = route.rules.filter(({ in: place, holds }) => !holds(request[place]));
      expect(broken).toEqual([rule]);
    }
  });

  it('is enforced without an upstream call', async () => {
    const issue = { in: rule.in, name: rule.parameters.join(), rule: rule.name, message: rule.description };
    const expected = { status: 400, error: 'invalid_request', issues: [issue] };
    if (route.access === 'exact') return refusedPaid(route, requests, expected);
    const asks = requests.map((request) => requestOf(route, request));
    await refusedForFree(gateway, asks, ({ status, json: { error, issues } }) =>
      expect({ status, error, issues }).toEqual(expected),
    );
  });
});
