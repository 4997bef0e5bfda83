import { below, CLUSTERS, listAt } from '@asset-gateway/protocol';
import { once, useFresh } from './parts/hooks.ts';
import { reach } from './parts/reach.ts';

/** What the index at `/` says of the gateway, loaded once. */
export const gatewayIndex = once(async () => {
  const response = await reach.fetch('/', { headers: { accept: 'application/json' } });
  const index: unknown = await response.json();
  const listed = listAt(index, 'clusters');
  return {
    /** Whether answers are cached for all users. */
    isCached: below(index, 'responseCache') === true,
    /** Whether this is the sandbox, whose faucet gives out play money. */
    isSandbox: below(index, 'sandbox') === true,
    /** Whether answers that were paid for carry a receipt. */
    hasReceipts: below(index, 'receipts') === true,
    /** The clusters whose balances the page can read. */
    clusters: CLUSTERS.filter((cluster) => listed.includes(cluster)),
  };
});

/** The index; undefined while it loads. */
export const useGateway = () => useFresh(gatewayIndex, []).value;
