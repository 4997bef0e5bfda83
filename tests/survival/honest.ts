import { setTimeout as pause } from 'node:timers/promises';
import { newSigner } from '@asset-gateway/client/node';
import type { Chain } from '../../packages/sandbox/src/chain/chain.ts';
import { signedHeader } from '../kit/wallet.ts';
import { callOf } from '../payments/calls.ts';
import { ask, askUntilDecided, type Buyer, newBuyer, newPath as newPaidPath } from '../payments/fault-buyer.ts';

/** The outcome of a request and its duration. */
export interface Served {
  readonly outcome: string;
  readonly ms: number;
}

/** A sign-in that has been used up. */
export interface UsedSignIn {
  readonly path: string;
  readonly header: string;
}

const WALLETS = 10;
const AT_ONCE = 4;
const MICROS = 1_000_000;

/** Does something at this pace until the end, one after the other. */
export async function atPace(periodMs: number, endMs: number, act: () => Promise<void>): Promise<void> {
  for (let due = performance.now(); due < endMs; due += periodMs) {
    await pause(Math.max(0, due - performance.now()));
    await act();
  }
}

/** Ten wallets that request asset data, four at once; `onVolley` gets the used sign-ins. */
export class SignedCrowd {
  readonly served: Served[] = [];
  readonly #signers = Array.from({ length: WALLETS }, () => newSigner());
  readonly #origin: string;
  #used: readonly UsedSignIn[] = [];
  #serial = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  run(periodMs: number, endMs: number, onVolley: (used: readonly UsedSignIn[]) => void = () => {}): Promise<void> {
    return atPace(periodMs, endMs, async () => {
      const volley = Promise.all(Array.from({ length: AT_ONCE }, () => this.#ask()));
      onVolley(this.#used);
      this.#used = await volley;
    });
  }

  async #ask(): Promise<UsedSignIn> {
    const serial = this.#serial++;
    const path = `/v1/x402/tokens/assets/search?q=honest${serial}`;
    const url = this.#origin + path;
    const sinceMs = performance.now();
    const header = await signedHeader(url, {}, this.#signers[serial % WALLETS]);
    const { status, code } = await readSigned(url, header);
    this.served.push({ outcome: `${status} ${code}`.trim(), ms: performance.now() - sinceMs });
    return { path, header };
  }
}

async function readSigned(url: string, header: string): Promise<{ status: number; code: string }> {
  const response = await fetch(url, { headers: { 'SIGN-IN-WITH-X': header } });
  const { error = '' } = (await response.json()) as { error?: string };
  return { status: response.status, code: error };
}

type NextRequest = () => readonly [path: string, init: RequestInit];

/** A wallet that buys one answer after the other; it counts what it got, and what that was said to cost. */
export class SteadyBuyer {
  readonly served: Served[] = [];
  answers = 0;
  spentMicros = 0;
  readonly buyer: Buyer;
  readonly #origin: string;
  readonly #next: NextRequest;

  constructor(origin: string, buyer: Buyer, next: NextRequest) {
    this.#origin = origin;
    this.buyer = buyer;
    this.#next = next;
  }

  run = (periodMs: number, endMs: number): Promise<void> => atPace(periodMs, endMs, () => this.#buy());

  async #buy(): Promise<void> {
    const [path, init] = this.#next();
    const url = this.#origin + path;
    const sinceMs = performance.now();
    const payment = await this.buyer.pay(url, init);
    const first = await ask(url, payment, init);
    this.served.push({ outcome: `${first.status} ${first.code}`.trim(), ms: performance.now() - sinceMs });
    // An unanswered request may be paid; the buyer retries.
    const last = first.status === 200 ? first : await askUntilDecided(url, payment, 60_000, init);
    if (last.status !== 200) return;
    this.answers++;
    this.spentMicros += Math.round(Number((JSON.parse(last.text) as { priceUsd: string }).priceUsd) * MICROS);
  }
}

/** Two buyers: one of the wallet API, one of the RPC that the attackers hang. */
export async function openBuyers(origin: string, chain: Chain, micros: bigint): Promise<SteadyBuyer[]> {
  const { target, init } = callOf('rpc.mainnet.helius.getBalance');
  const requests: readonly NextRequest[] = [() => [newPaidPath(), {}], () => [target, init]];
  const buyers = await Promise.all(requests.map(() => newBuyer(chain, micros)));
  return buyers.map((buyer, index) => new SteadyBuyer(origin, buyer, requests[index] as NextRequest));
}
