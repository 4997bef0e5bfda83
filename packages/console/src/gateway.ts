import { below, CLUSTERS, listAt } from '@asset-gateway/protocol';
import { connectivity } from './parts/connectivity.ts';
import { once, useReloadable } from './parts/hooks.ts';

/** The index at `/`, loaded once. */
export const gatewayIndex = once(async () => {
  const response = await connectivity.fetch('/', { headers: { accept: 'application/json' } });
  const index: unknown = await response.json();
  const listed = listAt(index, 'clusters');
  return {
    /** Whether all users share cached answers. */
    isCached: below(index, 'responseCache') === true,
    /** Whether this is the sandbox, whose faucet gives play money. */
    isSandbox: below(index, 'sandbox') === true,
    /** Whether paid answers carry a receipt. */
    hasReceipts: below(index, 'receipts') === true,
    /** The clusters whose balances the page can read. */
    clusters: CLUSTERS.filter((cluster) => listed.includes(cluster)),
  };
});

/** Returns the index; undefined while it loads. */
export const useGateway = () => useReloadable(gatewayIndex, []).value;
