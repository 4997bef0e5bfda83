import { setTimeout as pause } from 'node:timers/promises';
import { faultsOf, statusAndCode } from '../http/error-table.ts';
import { initOf, rowOf, targetOf } from '../http/targets.ts';
import { seen } from '../http/wire.ts';
import { signedHeader } from '../kit/wallet.ts';
import type { Buyer } from '../payments/fault-buyer.ts';

/** What became of one request: what it was answered until it was served, and everything in which that left the contract. */
export interface Outcome {
  readonly route: string;
  /** Status and code of each answer. */
  readonly answers: readonly string[];
  readonly faults: readonly string[];
}

/** Something that goes on until it is ended, and then says what has become of each request. */
export interface Traffic {
  end(): Promise<Outcome[]>;
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

/** Requests that cost a signature or nothing, so many a second whatever becomes of them. */
export function signedTraffic(origin: string, perSecond: number): Traffic {
  const asked: Promise<Outcome>[] = [];
  const ask = async (row: (typeof GIVEN)[number]): Promise<Response> => {
    const [url, init] = [origin + targetOf(row), initOf(row)];
    const signature = row.access === 'siwx' ? { 'SIGN-IN-WITH-X': await signedHeader(url, init) } : {};
    return fetch(url, { ...init, headers: { ...init.headers, ...signature } });
  };
  const begunAt = performance.now();
  const timer = setInterval(() => {
    // A timer that comes late makes up for it.
    while (asked.length < ((performance.now() - begunAt) / 1_000) * perSecond) {
      const row = GIVEN[asked.length % GIVEN.length] as (typeof GIVEN)[number];
      asked.push(outcomeOf(row.id, () => ask(row)));
    }
  }, 1_000 / perSecond);
  return {
    end() {
      clearInterval(timer);
      return Promise.all(asked);
    },
  };
}

const SOLD = ['rpc.mainnet.helius.getBalance', 'wallet.mainnet.helius.balances'].map(rowOf);

/** One purchase after the other; each has one payment, however often it is asked for. */
export function paidTraffic(origin: string, buyer: Buyer): Traffic {
  let isOver = false;
  const buy = async (row: (typeof SOLD)[number]): Promise<Outcome> => {
    const [url, init] = [origin + targetOf(row), initOf(row)];
    const payment = await buyer.pay(url, init);
    return outcomeOf(row.id, () => fetch(url, { ...init, headers: { ...init.headers, 'PAYMENT-SIGNATURE': payment } }));
  };
  const buyAll = async (): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    while (!isOver) for (const row of SOLD) outcomes.push(await buy(row));
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
