import { GatewayError, type Payer, type SignedPayment } from '@asset-gateway/client';
import { type Caps, type Offer, offerIn, payWith, type QuotingPayer } from '@asset-gateway/client/pay';
import { dollars } from '@asset-gateway/protocol';
import type { Wallet } from '../keys/files.ts';
import type { Terminal } from '../show/terminal.ts';
import { askFaucet, sandboxRpc } from './faucet.ts';
import type { LedgerFile } from './ledger-file.ts';

/** What payments are made with. */
export interface Paying {
  readonly gateway: string;
  readonly wallet: Wallet;
  readonly terminal: Terminal;
  readonly ledger: LedgerFile;
  readonly rpc: string | undefined;
  readonly caps: Caps;
  /** Pays without asking; otherwise the person at the terminal is asked. */
  readonly isTold: boolean;
}

/** The person at the terminal did not want to pay. */
export class Declined extends Error {}

/** Nothing was signed: this is what would have to be paid. */
export class Unpaid extends Error {
  readonly offer: Offer;

  constructor(offer: Offer) {
    super('nothing was paid');
    this.offer = offer;
  }
}

/** Never pays: throws what would have to be paid. */
export const quotingPayer: Payer = {
  async pay(required, wish) {
    const offer = offerIn(required, wish);
    if (!offer) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
    throw new Unpaid(offer);
  },
};

/** What became of a payment, as far as that is known. */
export type Outcome = 'open' | 'paid' | 'refused';

/** The same payment, which also reports its outcome. */
export function watched(payment: SignedPayment, report: (outcome: Outcome) => void): SignedPayment {
  report('open');
  return {
    ...payment,
    async closed(outcome) {
      report(outcome);
      await payment.closed?.(outcome);
    },
  };
}

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

/** Pays what the gateway's own catalog says and not more, within the limits, by the ledger. */
export function payerFor(paying: Paying): QuotingPayer {
  const { wallet, rpc, gateway, caps, ledger } = paying;
  return payWith({
    wallet: wallet.keypair,
    rpcUrl: (network) => rpc ?? sandboxRpc(gateway, network),
    approve: approval(paying),
    caps,
    ledger,
  });
}
