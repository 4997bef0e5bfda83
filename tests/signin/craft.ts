import { challengeIn, type SignInChallenge } from '@asset-gateway/client';
import { HEADERS, type PaymentRequired } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { decodeHeader, encodeHeader } from '../kit/wallet.ts';
import { type Changes, HEALTH, SEARCH, signedPayload } from './payload.ts';

/** The verb and the body of a request. */
export interface Sent {
  readonly method?: string;
  readonly body?: string;
}

/** The status; reads the body to free the connection. */
export async function statusOf(answer: Response | Promise<Response>): Promise<number> {
  const response = await answer;
  await response.arrayBuffer();
  return response.status;
}

/** Expects a 402 with this code in header and body, and returns its challenge. */
export async function refusedWith(code: string, answer: Response | Promise<Response>): Promise<SignInChallenge> {
  const response = await answer;
  const body = (await response.json()) as PaymentRequired & { ok: boolean };
  expect([response.status, body.ok, body.error, body.accepts]).toEqual([402, false, code, []]);
  const header = response.headers.get(HEADERS.paymentRequired) ?? '';
  expect({ ...body, ...decodeHeader(header) }).toEqual(body);
  expect(header.length).toBeLessThanOrEqual(4096);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('ratelimit')).toBeNull();
  const challenge = challengeIn(body);
  if (!challenge) throw new Error('a refusal without a challenge');
  return challenge;
}

interface AskerParts {
  readonly origin: string;
  readonly upstream: { readonly arrivals: readonly unknown[] };
  ask(target: string, headers?: Readonly<Record<string, string>>, init?: Sent): Promise<Response>;
}

/** Sends requests to a gateway, over HTTP or in process. */
export type Asker = ReturnType<typeof newAsker>;

export function newAsker({ origin, upstream, ask }: AskerParts) {
  async function challenge(target = SEARCH, init: Sent = {}): Promise<SignInChallenge> {
    const response = await ask(target, {}, init);
    const challenge = challengeIn(await response.json());
    if (!challenge) throw new Error(`no challenge but ${response.status} for ${target}`);
    return challenge;
  }
  const signIn = async (target = SEARCH, changes: Changes = {}): Promise<string> =>
    encodeHeader(await signedPayload(await challenge(target), changes));
  const askWith = (header: string, target = SEARCH): Promise<Response> => ask(target, { [HEADERS.signIn]: header });
  const askFreshly = async (target = SEARCH, changes: Changes = {}): Promise<Response> =>
    askWith(await signIn(target, changes), target);
  async function budgetLeft(): Promise<number> {
    const response = await askFreshly(HEALTH);
    expect(await statusOf(response)).toBe(200);
    return Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
  }
  return {
    origin,
    upstream,
    ask,
    challenge,
    /** A signed header for this target, with changed fields. */
    signIn,
    /** Asks with this header. */
    askWith,
    /** Asks with a fresh sign-in. */
    askFreshly,
    /** Slots left in the budget; asking takes one. */
    budgetLeft,
    /** Expects that these requests reach no upstream and take no slot. */
    async costsNothing(requests: () => Promise<unknown>): Promise<void> {
      const [left, arrivals] = [await budgetLeft(), upstream.arrivals.length];
      await requests();
      expect(upstream.arrivals.length).toBe(arrivals);
      expect(await budgetLeft()).toBe(left - 1);
    },
  };
}

export const overHttp = ({ url, upstream }: Pick<TestGateway, 'url' | 'upstream'>): Asker =>
  newAsker({
    origin: url,
    upstream,
    ask: (target, headers = {}, init = {}) => fetch(`${url}${target}`, { ...init, headers }),
  });

/** A gateway for the tests of one file. */
export async function openSignIn(): Promise<{ readonly gateway: TestGateway; readonly asker: Asker }> {
  const gateway = await startTestGateway({}, { windowMs: 3_600_000 });
  return { gateway, asker: overHttp(gateway) };
}
