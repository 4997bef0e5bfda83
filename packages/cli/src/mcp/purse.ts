import { type LedgerEntry, memoryLedger, type SpendingLedger } from '@asset-gateway/client/pay';
import { Misunderstood } from '../request.ts';
import type { Wallet } from '../wallet.ts';
import type { Purse } from './payers.ts';

/** What a wallet pays with. */
export function purseOf({ keypair, signer }: Wallet, rpc: string | undefined): Purse {
  let spentMicros = 0;
  const memory = memoryLedger();
  const ledger: SpendingLedger = {
    ...memory,
    async signed(_: string, { micros }: LedgerEntry) {
      spentMicros += micros;
    },
  };
  const rpcUrl = (): string => {
    if (rpc === undefined) throw new Misunderstood('paying takes --rpc <url>; nothing was paid');
    return rpc;
  };
  return { address: signer.address, keypair, rpcUrl, ledger, spentMicros: () => spentMicros };
}
