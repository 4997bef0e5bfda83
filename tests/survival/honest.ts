import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { newSigner } from '@asset-gateway/client/node';
import type { Chain } from '../../packages/sandbox/src/chain/chain.ts';
import { cpuSeconds, memoryMib } from '../kit/usage.ts';
import { signedHeader } from '../kit/wallet.ts';
import { callOf } from '../payments/calls.ts';
import { ask, askUntilDecided, type Buyer, newBuyer, newPath as newPaidPath } from '../payments/fault-buyer.ts';
import { askWith, newPath } from '../redis/asking.ts';

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

/** Notes the outcome of a request and its duration. */
async function timed<Answer extends { readonly status: number; readonly code: string }>(
  served: Served[],
  answering: Promise<Answer>,
): Promise<Answer> {
  const sinceMs = performance.now();
  const answer = await answering;
  served.push({ outcome: `${answer.status} ${answer.code}`.trim(), ms: performance.now() - sinceMs });
  return answer;
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
    const [path, signer] = [newPath(), this.#signers[this.#serial++ % WALLETS]];
    const url = this.#origin + path;
    const asking = signedHeader(url, {}, signer).then((header) => askWith(url, header));
    return { path, header: (await timed(this.served, asking)).header };
  }
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
    const paying = this.buyer.pay(url, init);
    const first = await timed(
      this.served,
      paying.then((payment) => ask(url, payment, init)),
    );
    // An unanswered request may be paid; the buyer retries.
    const last = first.status === 200 ? first : await askUntilDecided(url, await paying, 60_000, init);
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

/** Asks on a connection of its own whether the gateway is alive. */
function isAlive(origin: string): Promise<Served> {
  const sinceMs = performance.now();
  return new Promise((resolve) => {
    const end = (outcome: string) => resolve({ outcome, ms: performance.now() - sinceMs });
    get(`${origin}/healthz`, { agent: false }, (response) => {
      response.resume().on('end', () => end(String(response.statusCode)));
    }).on('error', (error) => end(error.message));
  });
}

/** Measurements of a watched gateway. */
export interface Watched {
  readonly health: readonly Served[];
  readonly maxRssMib: number;
  readonly cpuSeconds: number;
}

/** Looks at it every second until the end. */
export async function watch(origin: string, pid: number, endMs: number): Promise<Watched> {
  const health: Served[] = [];
  const before = cpuSeconds(pid);
  let maxRssMib = 0;
  await atPace(1_000, endMs, async () => {
    health.push(await isAlive(origin));
    maxRssMib = Math.max(maxRssMib, memoryMib(pid));
  });
  return { health, maxRssMib, cpuSeconds: cpuSeconds(pid) - before };
}

/** The duration at this quantile. */
export function quantile(all: readonly Served[], share: number): number {
  const times = all.map(({ ms }) => ms).sort((a, b) => a - b);
  return times[Math.ceil(times.length * share) - 1] ?? 0;
}

/** A row of a Markdown table: how often each outcome came, and how long the requests took. */
export function row(name: string, all: readonly Served[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of all) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const outcomes = [...counts].map(([outcome, times]) => `${times} x ${outcome}`).join(', ');
  const times = [0.5, 0.99, 1].map((share) => `${Math.round(quantile(all, share))} ms`);
  return `| ${name} | ${outcomes} | ${times.join(' | ')} |`;
}
