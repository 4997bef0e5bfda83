import { setTimeout as pause } from 'node:timers/promises';
import { challengeIn, signIn } from '@asset-gateway/client';
import type { PaymentRequired } from '@x402/core/types';
import bs58 from 'bs58';
import { faultsOf, statusAndCode } from '../http/error-table.ts';
import { initOf, pathOf, rowOf, targetOf } from '../http/targets.ts';
import { seen } from '../http/wire.ts';
import { newSigner } from '../kit/wallet.ts';
import { headerOf } from '../payments/calls.ts';
import { newPath } from '../payments/fault-buyer.ts';
import type { Wallet } from '../payments/wallets.ts';

/** The responses to one request until it was served, and their violations of the contract. */
export interface Outcome {
  readonly route: string;
  /** Status and code of each answer. */
  readonly answers: readonly string[];
  readonly faults: readonly string[];
}

const MAX_ATTEMPTS = 10;

/** Asks, and asks again when an answer says so and when; a connection that breaks is an answer, too, and is the last one. */
async function outcomeOf(route: string, ask: () => Promise<Response>): Promise<Outcome> {
  const answers: string[] = [];
  const faults: string[] = [];
  for (;;) {
    try {
      const answer = await seen(await ask());
      answers.push(statusAndCode(answer));
      faults.push(...faultsOf(answer));
      const seconds = answer.headers['retry-after'];
      if (seconds === undefined || answers.length === MAX_ATTEMPTS) return { route, answers, faults };
      await pause(Number(seconds) * 1_000);
    } catch (error) {
      return { route, answers, faults: [...faults, String((error as Error).cause ?? error)] };
    }
  }
}

const GIVEN = ['tokens.health', 'tokens.search', 'tokens.marketSnapshots', 'system.catalog'].map(rowOf);

/** Signed and public requests at a constant rate, until `end`. */
export function signedTraffic(origin: string, perSecond: number) {
  const asked: Promise<Outcome>[] = [];
  const ask = async (row: (typeof GIVEN)[number]): Promise<Response> => {
    const [url, init] = [origin + targetOf(row), initOf(row)];
    const first = await fetch(url, init);
    if (first.status !== 402) return first;
    const challenge = challengeIn(await first.json());
    if (!challenge) throw new Error(`a 402 of ${row.id} without a challenge`);
    const signature = await signIn(challenge, newSigner(), new URL(url));
    return fetch(url, { ...init, headers: { ...init.headers, 'SIGN-IN-WITH-X': signature } });
  };
  const timer = setInterval(() => {
    const row = GIVEN[asked.length % GIVEN.length];
    if (row) asked.push(outcomeOf(row.id, () => ask(row)));
  }, 1_000 / perSecond);
  return {
    end() {
      clearInterval(timer);
      return Promise.all(asked);
    },
  };
}

/** A new request, for which nothing is owed. */
const newRequests = (): readonly [route: string, target: string, init: RequestInit][] => {
  const account = bs58.encode(crypto.getRandomValues(new Uint8Array(32)));
  const rpc = rowOf('rpc.mainnet.helius.getBalance');
  const body = JSON.stringify({ params: [account] });
  return [
    [rpc.id, pathOf(rpc), { ...initOf(rpc), body }],
    ['wallet.mainnet.helius.balances', newPath(), {}],
  ];
};

/** Asks for one answer; once it has been paid for, always with that payment. */
function purchaseOf(wallet: Wallet, url: string, init: RequestInit): () => Promise<Response> {
  let payment: string | undefined;
  return async () => {
    if (payment === undefined) {
      const first = await fetch(url, init);
      if (first.status !== 402) return first;
      payment = headerOf(await wallet.pay((await first.json()) as PaymentRequired));
    }
    return fetch(url, { ...init, headers: { ...init.headers, 'PAYMENT-SIGNATURE': payment } });
  };
}

/** One purchase after the other with a rest between; each has one payment for all its requests, until `end`. */
export function paidTraffic(origin: string, wallet: Wallet, restMs: number) {
  let isOver = false;
  const buyAll = async (): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    while (!isOver) {
      for (const [route, target, init] of newRequests()) {
        outcomes.push(await outcomeOf(route, purchaseOf(wallet, origin + target, init)));
        await pause(restMs);
      }
    }
    return outcomes;
  };
  const bought = buyAll();
  return {
    end() {
      isOver = true;
      return bought;
    },
  };
}
