import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS, USDC } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { beforeAll, describe, expect, it } from 'vitest';
import { suiteOfPackages } from '../kit/packages.ts';
import { isFull } from '../kit/rounds.ts';
import { FAREMETER_VERSION, OTHER_CLIENTS, OTHER_VERSIONS } from '../official-client/other-clients.ts';
import { anyCall, buying, startCreditGateway } from './gateway.ts';

const PROGRAM = 'stock-client.mjs';
const PRICE = 5;
/** The calls that a bundle pays for. */
const COVERED = isFull ? 101 : 3;
const BUNDLE = PRICE * COVERED;

const bundle = (BUNDLE / 1_000_000).toFixed(6);
const gateway = await startCreditGateway({}, { CREDIT_BUNDLE_USD: bundle, CREDIT_BUNDLES_USD: bundle });

/** How a client is set up. */
interface Setup {
  readonly client: 'official' | 'faremeter';
  /** Whether it pays the bundle of a paid route, and not the single call before it. */
  readonly choosesBundle: boolean;
  /** Whether it signs in where it is asked to. */
  readonly hasHook: boolean;
}

/** The version of a client, and the outcome of each request of its stories: how often it was sent, and its transaction, if any. */
interface Told {
  readonly version: string;
  readonly told: readonly (readonly { readonly transaction: string }[])[];
}

/** A client that pays bundles on the route calls until the first is used up, and once more. Others buy one ahead. */
function requestsOf({ choosesBundle, hasHook }: Setup) {
  const calls = Array.from({ length: COVERED + 1 }, anyCall);
  const all = choosesBundle ? calls : [buying('mainnet'), ...calls, anyCall()];
  const prefer = hasHook ? { Prefer: 'credit' } : {};
  return all.map(({ target, init }) => ({
    url: gateway.url + target,
    init: { ...init, headers: { ...init.headers, ...prefer } },
  }));
}

/** Runs each setup with its own wallet, by the client that is installed in this folder. Answers the transfers of each as well. */
async function tell(folder: string, script: string, setups: readonly Setup[]) {
  const { mainnet } = gateway.solana;
  const stories = setups.map((setup) => ({ ...setup, keypair: [...newKeypair()], requests: requestsOf(setup) }));
  const addresses = stories.map(({ keypair }) => bs58.encode(Uint8Array.from(keypair.slice(32))));
  for (const address of addresses) await mainnet.fundUsdc(address, 1_000_000n);
  const job = JSON.stringify({ rpcUrl: mainnet.url, network: NETWORKS.mainnet, asset: USDC.mainnet, stories });
  const { stdout } = await promisify(execFile)(process.execPath, [script, job], { cwd: folder });
  const transfersOf = (address: string) =>
    mainnet.transfers.filter(({ from }) => from === address).map(({ signature }) => signature);
  return { ...(JSON.parse(stdout) as Told), transfers: addresses.map(transfersOf) };
}

const SETTLED = expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{87,88}$/);

const spent = (left: number) => ({
  status: 200,
  sent: 2,
  transaction: '',
  credit: `charged=${PRICE}, balance=${left}`,
});

/** A bundle with the first call, nothing while it lasts, and another bundle with the call after it. */
function toppedUp({ hasHook }: Setup): unknown[] {
  const bought = { status: 200, sent: hasHook ? 3 : 2, transaction: SETTLED, credit: `balance=${BUNDLE - PRICE}` };
  const calls = Array.from({ length: COVERED - 1 }, (_, index) => spent(BUNDLE - (index + 2) * PRICE));
  return [bought, ...calls, bought];
}

/** Credit by itself, nothing while it lasts, and then each call for its price. */
function boughtAhead({ hasHook }: Setup): unknown[] {
  const bought = { status: 200, sent: 2, transaction: SETTLED, credit: `balance=${BUNDLE}` };
  const calls = Array.from({ length: COVERED }, (_, index) => spent(BUNDLE - (index + 1) * PRICE));
  const single = { status: 200, sent: hasHook ? 3 : 2, transaction: SETTLED, credit: null };
  return [bought, ...calls, single, single];
}

const both = (client: Setup['client'], hasHook: boolean): Setup[] =>
  [true, false].map((choosesBundle) => ({ client, hasHook, choosesBundle }));

const OFFICIAL = [...both('official', false), ...both('official', true)];
const FAREMETER = both('faremeter', false);

const titleOf = ({ hasHook, choosesBundle }: Setup): string =>
  `${hasHook ? 'with' : 'without'} the sign-in hook, ${
    choosesBundle
      ? 'settles once for a bundle with its first call, then not until it is used up, and once for the next'
      : 'settles once for credit bought ahead, then not until it is used up, and then for each call'
  }`;

/** Tests one version of a client in its folder: settled calls, requests per call, and the balance after each. */
function judge(version: string, setups: readonly Setup[], folder: string, script: () => string): void {
  let all: Awaited<ReturnType<typeof tell>>;
  beforeAll(async () => {
    all = await tell(folder, script(), setups);
  }, 300_000);

  it.each(setups.map((setup, index) => [titleOf(setup), setup, index] as const))('%s', (_, setup, index) => {
    expect(all.version).toBe(version);
    const outcomes = all.told[index] ?? [];
    expect(outcomes).toEqual(setup.choosesBundle ? toppedUp(setup) : boughtAhead(setup));
    const settled = outcomes.map(({ transaction }) => transaction).filter((transaction) => transaction !== '');
    expect(all.transfers[index]).toEqual(settled);
  });
}

describe('the official client 2.27', () => {
  judge('2.27.0', OFFICIAL, '.', () => `tests/credit/${PROGRAM}`);
});

const scriptIn = (folder: string) => () => {
  copyFileSync(`tests/credit/${PROGRAM}`, join(folder, PROGRAM));
  return PROGRAM;
};

// In a short run official-client/versions.full.test.ts pays with an older version.
if (isFull)
  await suiteOfPackages('credit with other clients', OTHER_CLIENTS, (folder) => {
    const placeOf = (name: string) => [join(folder, name), scriptIn(join(folder, name))] as const;

    describe.each(['2.11', '2.22'] as const)('the official client %s', (version) => {
      judge(OTHER_VERSIONS[version].fetch, OFFICIAL, ...placeOf(version));
    });

    describe('@faremeter/fetch', () => judge(FAREMETER_VERSION, FAREMETER, ...placeOf('faremeter')));
  });
