import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suiteOfPackages } from '../kit/packages.ts';
import { isFull } from '../kit/rounds.ts';
import { FAREMETER_VERSION, isLookedAt, OTHER_CLIENTS, OTHER_VERSIONS } from '../official-client/other-clients.ts';
import { startCreditGateway } from './gateway.ts';
import { expectStory, type Setup, type Told, tell } from './stock-clients.ts';

const PROGRAM = 'stock-client.mjs';
const PRICE = 5;
/** The price of a call, and of a bundle for several. */
const prices = { price: PRICE, bundle: PRICE * (1 + (isFull ? 100 : 5)) };

const bundle = (prices.bundle / 1_000_000).toFixed(6);
const gateway = await startCreditGateway({}, { CREDIT_BUNDLE_USD: bundle, CREDIT_BUNDLES_USD: bundle });
afterAll(() => gateway.stop());

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

/** Tests one version of a client in its folder. */
function judge(version: string, setups: readonly Setup[], folder: string, script: () => string): void {
  let told: Told;
  beforeAll(async () => {
    told = await tell(gateway, { folder, script: script(), setups, prices });
  }, 300_000);

  it.each(setups.map((setup, index) => [titleOf(setup), setup, index] as const))('%s', (_, setup, index) => {
    expect(told.version).toBe(version);
    expectStory(told.stories[index] as Told['stories'][number], setup, prices);
  });
}

describe('the official client 2.27', () => {
  judge('2.27.0', OFFICIAL, '.', () => `tests/credit/${PROGRAM}`);
});

const VERSIONS = (['2.11', '2.22'] as const).filter(isLookedAt);

await suiteOfPackages('credit with other clients', OTHER_CLIENTS, (folder) => {
  const scriptIn = (name: string) => () => {
    copyFileSync(`tests/credit/${PROGRAM}`, join(folder, name, PROGRAM));
    return PROGRAM;
  };

  describe.each(VERSIONS)('the official client %s', (version) => {
    judge(OTHER_VERSIONS[version].fetch, OFFICIAL, join(folder, version), scriptIn(version));
  });

  describe.runIf(isFull)('@faremeter/fetch', () => {
    judge(FAREMETER_VERSION, FAREMETER, join(folder, 'faremeter'), scriptIn('faremeter'));
  });
});
