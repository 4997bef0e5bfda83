import { GatewayError, type Payer, type PaymentWish } from '@asset-gateway/client';
import { type Caps, type Offer, offerIn, payWith } from '@asset-gateway/client/pay';
import { dollars, NETWORKS, type PaymentRequired } from '@asset-gateway/protocol';
import { cacheFolder } from '../config.ts';
import type { Wallet } from '../keys/files.ts';
import type { Terminal } from '../show/terminal.ts';
import { catalogOf, listedMicros } from './catalog.ts';
import { askFaucet, sandboxRpc } from './faucet.ts';
import type { LedgerFile } from './ledger-file.ts';

/** How the command pays. */
export interface Paying {
  readonly gateway: string;
  readonly wallet: Wallet;
  readonly terminal: Terminal;
  readonly ledger: LedgerFile;
  readonly rpc: string | undefined;
  readonly caps: Caps;
  /** Told to pay; otherwise the person at the terminal is asked. */
  readonly isTold: boolean;
}

/** The person at the terminal did not want to pay. */
export class Declined extends Error {}

const clusterOf = (network: string): string => (network === NETWORKS.mainnet ? 'mainnet' : 'devnet');

/** Makes sure that the wallet can pay: one that was made for the sandbox is given play money. */
async function provide({ wallet, rpc, gateway }: Paying, network: string): Promise<void> {
  if (wallet.source === 'file' || wallet.source === 'keychain') {
    if (rpc === undefined) throw new Error('a wallet of your own pays through a Solana RPC: add --rpc <url>');
    return;
  }
  const isFunded = await askFaucet(rpc ?? sandboxRpc(gateway, network), wallet.signer.address);
  if (isFunded || (wallet.source === 'kept' && rpc !== undefined)) return;
  const needed = wallet.source === 'kept' ? '--rpc <url>' : '--keypair <file> and --rpc <url>';
  throw new Error(`this is no sandbox: paying takes ${needed}`);
}

function approval(paying: Paying) {
  const { terminal, isTold } = paying;
  return async ({ network, amount, payTo }: Offer): Promise<void> => {
    const what = `$${dollars(Number(amount))} on ${network} to ${payTo}`;
    if (!isTold && !(await terminal.confirm(`Pay ${what}?`))) throw new Declined('nothing was paid');
    terminal.note(`paying ${what}`);
    await provide(paying, network);
  };
}

const refused = (message: string): GatewayError => new GatewayError('spending_limit', { message });

/** Throws where a call is to cost more than the gateway's own catalog says. */
export async function assertListed(gateway: string, required: PaymentRequired, wish: PaymentWish): Promise<void> {
  const offer = wish.buys === 'call' ? offerIn(required) : undefined;
  if (!offer) return;
  const listed = listedMicros(await catalogOf(gateway, cacheFolder()), wish.request);
  const asked = `$${dollars(Number(offer.amount))} is asked for on ${clusterOf(offer.network)}`;
  if (listed === undefined) throw refused(`${asked}, and the catalog does not list this route; nothing was signed`);
  if (Number(offer.amount) > listed)
    throw refused(`${asked}, and the catalog says $${dollars(listed)}; nothing was signed`);
}

/**
 * Pays what the gateway's own catalog says and not more, within the limits, by the ledger. It makes no second payment for a request
 * whose first one was left open by a process that has ended.
 */
export function payerFor(paying: Paying): Payer {
  const { wallet, rpc, gateway, caps, ledger } = paying;
  const payer = payWith({
    wallet: wallet.keypair,
    rpcUrl: (network) => rpc ?? sandboxRpc(gateway, network),
    approve: approval(paying),
    caps,
    ledger,
  });
  return {
    async pay(required, wish) {
      const open = ledger.payments.abandonedFor(wish.request);
      if (open) {
        const message =
          'this was paid for before, and its outcome is not known; run resume, which sends the same payment';
        throw new GatewayError('payment_unknown', { message });
      }
      await assertListed(gateway, required, wish);
      return payer.pay(required, wish);
    },
  };
}
