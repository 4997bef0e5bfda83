import { createClient, type GatewayClient, type Signer } from '@asset-gateway/client';
import { type PayingWallet, payWith } from '@asset-gateway/client/pay';
import { clusterOfNetwork } from '@asset-gateway/protocol';
import { rpcOf } from './funds-of.ts';
import { browserLedger } from './ledger.ts';
import type { PageCaps } from './storage.ts';

export interface PayingOptions {
  readonly signer: Signer;
  readonly wallet: PayingWallet;
  readonly caps: PageCaps;
  readonly fetch: typeof fetch;
}

/** Returns a client that pays within these caps and records each payment before sending it. */
export function payingClient({ signer, wallet, caps, fetch }: PayingOptions): GatewayClient {
  const pay = payWith({ wallet, rpcUrl: (network) => rpcOf(clusterOfNetwork(network)), caps, ledger: browserLedger });
  return createClient({ baseUrl: location.origin, signer, pay, fetch });
}
