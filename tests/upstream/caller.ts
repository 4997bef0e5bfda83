import { challengeIn, signIn } from '@asset-gateway/client';
import type { Route } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import { exampleOf } from '../http/targets.ts';
import type { TestGateway } from '../kit/test-gateway.ts';
import { newSigner } from '../kit/wallet.ts';
import { type Answered, type Ask, send, slotsLeft } from './exchange.ts';

export const TOKENS = '/v1/x402/tokens';
export const HEALTH = `${TOKENS}/health`;
export const SNAPSHOTS = `${TOKENS}/assets/market-snapshots`;

/** The headers of a JSON body. */
export const JSON_BODY = { 'Content-Type': 'application/json' };

/** A request of a row; default: its example. */
export function requestOf(route: Route, other: Route['example'] = {}): Ask {
  const { target, init } = exampleOf(route, other);
  return { target, ...init };
}

/** A wallet that signs for the gateway's origin, so that a sign-in opens any path. */
export class Caller {
  readonly #gateway: TestGateway;
  readonly #signer = newSigner();

  constructor(gateway: TestGateway) {
    this.#gateway = gateway;
  }

  /** A fresh sign-in: one header, good for one answer. */
  async signIn(): Promise<Readonly<Record<string, string>>> {
    const { url } = this.#gateway;
    const challenge = challengeIn((await send(this.#gateway, { target: HEALTH })).json);
    if (!challenge) throw new Error('no challenge');
    const bound = { ...challenge, info: { ...challenge.info, uri: url } };
    return { 'SIGN-IN-WITH-X': await signIn(bound, this.#signer, new URL(url)) };
  }

  /** Asks with a fresh sign-in. */
  async ask(ask: Ask): Promise<Answered> {
    return this.askWith(await this.signIn(), ask);
  }

  askWith(signIn: Readonly<Record<string, string>>, ask: Ask): Promise<Answered> {
    return send(this.#gateway, { ...ask, headers: { ...ask.headers, ...signIn } });
  }
}

/**
 * Sends these with one sign-in and expects a refusal of each: no upstream call, no slot taken, and the sign-in still works.
 */
export async function refusedForFree(
  gateway: TestGateway,
  asks: readonly Ask[],
  check: (answer: Answered, ask: Ask) => void,
): Promise<void> {
  const caller = new Caller(gateway);
  const signIn = await caller.signIn();
  const arrivals = gateway.upstream.arrivals.length;
  const left = new Set<number>();
  for (const ask of asks) {
    const answer = await caller.askWith(signIn, ask);
    expect(answer.json.ok ?? false, ask.target).toBe(false);
    check(answer, ask);
    const slots = slotsLeft(answer);
    if (slots !== undefined) left.add(slots);
    expect(gateway.upstream.arrivals.length, ask.target).toBe(arrivals);
  }
  expect(asks.length).toBeGreaterThan(0);
  expect(left.size).toBeLessThanOrEqual(1);
  const opened = await caller.askWith(signIn, { target: HEALTH });
  expect(opened.status).toBe(200);
  expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
  for (const slots of left) expect(slotsLeft(opened)).toBe(slots - 1);
}
