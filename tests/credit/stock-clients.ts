import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS, USDC } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { expect } from 'vitest';
import type { Example } from '../http/targets.ts';
import type { SellingGateway } from '../kit/selling-gateway.ts';
import { callOf } from '../payments/calls.ts';
import { buying } from './gateway.ts';

/** How a client is set up. */
export interface Setup {
  readonly client: 'official' | 'faremeter';
  /** Whether it pays the bundle of a paid route, and not the single call before it. */
  readonly choosesBundle: boolean;
  /** Whether it signs in where it is asked to. */
  readonly hasHook: boolean;
}

/** The outcome of one request: how often it was sent, and its settled transaction, if any. */
export interface Outcome {
  readonly status: number;
  readonly error?: string;
  readonly sent: number;
  readonly transaction: string;
  readonly credit: string | null;
}

/** The prices of a call and of a bundle, in micro-USDC. */
export interface Prices {
  readonly price: number;
  readonly bundle: number;
}

/** A call for a new address each time, so that no call gets another one's answer. */
export const anyCall = (): Example =>
  callOf('rpc.mainnet.helius.getBalance', { body: { params: [bs58.encode(newKeypair().subarray(32))] } });

/** The wallet of each story, its requests, and how it is set up. */
interface Story extends Setup {
  readonly keypair: readonly number[];
  readonly requests: readonly { readonly url: string; readonly init: RequestInit }[];
}

function storyOf(gateway: SellingGateway, setup: Setup, calls: readonly Example[]): Story {
  const prefer = setup.hasHook ? { Prefer: 'credit' } : {};
  const requests = calls.map(({ target, init }) => ({
    url: gateway.url + target,
    init: { ...init, headers: { ...init.headers, ...prefer } },
  }));
  return { ...setup, keypair: [...newKeypair()], requests };
}

/** The calls that a bundle covers. */
const coveredBy = ({ price, bundle }: Prices): number => bundle / price;

/** A client that pays bundles on the route calls until the first is used up, and once more. Others buy one ahead. */
export function callsOf({ choosesBundle }: Setup, prices: Prices): Example[] {
  const calls = Array.from({ length: coveredBy(prices) + 1 }, anyCall);
  return choosesBundle ? calls : [buying('mainnet'), ...calls, anyCall()];
}

/** The version of the client that was run, and what became of each story. */
export interface Told {
  readonly version: string;
  readonly stories: readonly { readonly outcomes: readonly Outcome[]; readonly transfers: readonly string[] }[];
}

/** Runs each setup with its own wallet, by the client that is installed in this folder. */
export async function tell(
  gateway: SellingGateway,
  { folder, script, setups, prices }: { folder: string; script: string; setups: readonly Setup[]; prices: Prices },
): Promise<Told> {
  const { mainnet } = gateway.solana;
  const stories = setups.map((setup) => storyOf(gateway, setup, callsOf(setup, prices)));
  const addresses = stories.map(({ keypair }) => bs58.encode(Uint8Array.from(keypair.slice(32))));
  for (const address of addresses) await mainnet.fundUsdc(address, 1_000_000n);
  const job = JSON.stringify({ rpcUrl: mainnet.url, network: NETWORKS.mainnet, asset: USDC.mainnet, stories });
  const { stdout } = await promisify(execFile)(process.execPath, [script, job], { cwd: folder });
  const { version, told } = JSON.parse(stdout) as { version: string; told: Outcome[][] };
  const toldOf = (outcomes: Outcome[], index: number) => {
    const own = mainnet.transfers.filter(({ from }) => from === addresses[index]);
    return { outcomes, transfers: own.map(({ signature }) => signature) };
  };
  return { version, stories: told.map(toldOf) };
}

/** Checks a story: settled calls, requests per call, and the balance after each. */
export function expectStory({ outcomes, transfers }: Told['stories'][number], setup: Setup, prices: Prices): void {
  expect(outcomes).toEqual(setup.choosesBundle ? toppedUp(setup, prices) : boughtAhead(setup, prices));
  const settled = outcomes.map(({ transaction }) => transaction).filter((transaction) => transaction !== '');
  expect(transfers).toEqual(settled);
}

const SETTLED = expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{87,88}$/);

const spent = (prices: Prices, balance: number) => ({
  status: 200,
  sent: 2,
  transaction: '',
  credit: `charged=${prices.price}, balance=${balance}`,
});

/** A bundle with the first call, nothing while it lasts, and another bundle with the call after it. */
function toppedUp({ hasHook }: Setup, prices: Prices): unknown[] {
  const { price, bundle } = prices;
  const bought = { status: 200, sent: hasHook ? 3 : 2, transaction: SETTLED, credit: `balance=${bundle - price}` };
  const calls = Array.from({ length: coveredBy(prices) - 1 }, (_, index) =>
    spent(prices, bundle - (index + 2) * price),
  );
  return [bought, ...calls, bought];
}

/** Credit by itself, nothing while it lasts, and then each call for its price. */
function boughtAhead({ hasHook }: Setup, prices: Prices): unknown[] {
  const { price, bundle } = prices;
  const bought = { status: 200, sent: 2, transaction: SETTLED, credit: `balance=${bundle}` };
  const calls = Array.from({ length: coveredBy(prices) }, (_, index) => spent(prices, bundle - (index + 1) * price));
  const single = { status: 200, sent: hasHook ? 3 : 2, transaction: SETTLED, credit: null };
  return [bought, ...calls, single, single];
}
