import { expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { refusedForFree, TOKENS } from '../upstream/caller.ts';

const gateway = await stopAfterTests(startTestGateway());

const MINT = 'So11111111111111111111111111111111111111112';

/** What the upstream takes and the specification does not have, beside a request that is otherwise in order. */
const UPSTREAM_ONLY: readonly (readonly [string, string])[] = [
  ['search?q=sol', 'variants=all'],
  ['search?q=sol', 'primaryVariantStrategy=liquidity'],
  ['curated?list=all', 'limit=10'],
  ['curated?list=all', 'offset=0'],
  ['curated?list=all', 'variants=all'],
  ['curated?list=all', 'variantsMode=all'],
  ['curated?list=all', 'primaryVariantStrategy=liquidity'],
  [`risk-summary?mint=${MINT}`, `address=${MINT}`],
  ['solana?include=risk', 'primaryVariantStrategy=liquidity'],
  ['solana/variants?kind=yield', 'sortBy=liquidity'],
  ['solana/variants?kind=yield', 'stockVariantTier=not_redeemable'],
];

it.each(UPSTREAM_ONLY)('%s takes no %s, and asks nobody', async (request, parameter) => {
  const [name] = parameter.split('=');
  await refusedForFree(gateway, [{ target: `${TOKENS}/assets/${request}&${parameter}` }], ({ status, json }) => {
    expect([status, json.error]).toEqual([400, 'invalid_request']);
    expect(json.issues).toMatchObject([{ in: 'query', name, rule: 'additionalProperties' }]);
  });
});
