import { HEADERS, type Route, type Values } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { challengeIn, discoveryIn, served, startEverything } from './everything.ts';

let gateway: TestGateway;
let wallet: Wallet;
beforeAll(async () => {
  gateway = await startEverything();
  if (!gateway.solana) throw new Error('nothing is sold');
  wallet = await openWallet(gateway.solana);
});
afterAll(() => gateway.stop());

const queryOf = (values: Values = {}): string =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString();

/** The request that a crawler builds from a template, an example and a verb. */
function requestOf(template: string, method: string, input: Values): { url: string; init: RequestInit } {
  const { pathParams = {}, queryParams, body } = input as Readonly<Record<string, Values>>;
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(pathParams?.[name])));
  const query = queryOf(queryParams);
  const json = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  return { url: `${gateway.url}${path}${query && `?${query}`}`, init: { method, ...json } };
}

const isAnswered = async (route: Route, { url, init }: { url: string; init: RequestInit }): Promise<void> => {
  const response = await (route.access === 'siwx' ? askSigned(url, init) : wallet.buy(url, init));
  const { ok, method, error, issues } = (await response.json()) as Record<string, unknown>;
  expect([response.status, ok, method, error, issues]).toEqual([200, true, route.method, undefined, undefined]);
};

describe('examples are answered', () => {
  it.each(served.map((route) => [route.id, route] as const))('%s, from its challenge', async (_, route) => {
    const probe = await fetch(`${gateway.url}${route.path}`, { method: route.httpMethod });
    expect([probe.status, probe.headers.has(HEADERS.paymentRequired)]).toEqual([402, true]);
    const { info, routeTemplate } = discoveryIn(challengeIn(probe).required) ?? {};
    await isAnswered(
      route,
      requestOf(routeTemplate ?? new URL(probe.url).pathname, String(info?.input.method), info?.input ?? {}),
    );
  });
});
