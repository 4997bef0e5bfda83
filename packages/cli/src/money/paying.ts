import { GatewayError, type Payer, type SignedPayment } from '@asset-gateway/client';
import { type Caps, type Offer, offerIn, payWith, type QuotingPayer } from '@asset-gateway/client/pay';
import { dollars, NETWORKS } from '@asset-gateway/protocol';
import { fetchJson } from '../fetch-json.ts';
import type { Wallet } from '../keys/wallets.ts';
import type { Terminal } from '../show/terminal.ts';
import type { LedgerFile } from './ledger-file.ts';

/** The sandbox's chains listen on the two ports after the gateway's. */
export function sandboxRpc(gateway: string, network: string): string {
  const { hostname, port } = new URL(gateway);
  return `http://${hostname}:${Number(port || 80) + (network === NETWORKS.mainnet ? 1 : 2)}`;
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 65_536 };

/** Requests play money. Returns whether a sandbox sent some. */
export async function askFaucet(rpcUrl: string, address: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [address] });
  const headers = { 'Content-Type': 'application/json' };
  try {
    const { response, body: answer } = await fetchJson(new URL(rpcUrl), { method: 'POST', headers, body }, LIMITS);
    return response.ok && typeof answer === 'object' && answer !== null && !('error' in answer);
  } catch {
    return false;
  }
}

/** The wallet, limits and confirmation of payments. */
export interface Paying {
  readonly gateway: string;
  readonly wallet: Wallet;
  readonly terminal: Terminal;
  readonly ledger: LedgerFile;
  readonly rpc: string | undefined;
  readonly caps: Caps;
  /** Pays without asking. Otherwise the user confirms at the terminal. */
  readonly isPreapproved: boolean;
}

/** Nothing was signed; `offer` is the price. */
export class Unpaid extends Error {
  readonly offer: Offer;

  constructor(offer: Offer) {
    super('nothing was paid');
    this.offer = offer;
  }
}

/** The answer of a call, or the offer that it did not pay. */
export async function answerOrOffer<Answer>(call: Promise<Answer>): Promise<Answer | Offer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Unpaid) return error.offer;
    throw error;
  }
}

/** Never pays. Throws `Unpaid` with the offer. */
export const quotingPayer: Payer = {
  async pay(required, wish) {
    const offer = offerIn(required, wish);
    if (!offer) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
    throw new Unpaid(offer);
  },
};

/** The known outcome of a payment. */
export type Outcome = 'open' | 'paid' | 'refused';

/** The same payment; `by` gets its outcome. */
export function watched(payment: SignedPayment, by: { outcome?: Outcome | undefined }): SignedPayment {
  by.outcome = 'open';
  return {
    ...payment,
    async closed(outcome) {
      by.outcome = outcome;
      await payment.closed?.(outcome);
    },
  };
}

/** Funds a generated wallet from the sandbox, or throws if the wallet cannot pay. */
async function ensureFunded({ wallet, rpc, gateway }: Paying, network: string): Promise<void> {
  if (wallet.source === 'file' || wallet.source === 'keychain') {
    if (rpc === undefined) throw new Error('your own wallet needs a Solana RPC to pay: add --rpc <url>');
    return;
  }
  const isFunded = await askFaucet(rpc ?? sandboxRpc(gateway, network), wallet.signer.address);
  if (isFunded || (wallet.source === 'stored' && rpc !== undefined)) return;
  const needed = wallet.source === 'stored' ? '--rpc <url>' : '--keypair <file> and --rpc <url>';
  throw new Error(`this gateway is not a sandbox: to pay, add ${needed}`);
}

/** Pays at most the catalog's price, within the limits of the ledger. */
export function payerFor(paying: Paying): QuotingPayer {
  const { wallet, rpc, gateway, caps, ledger, terminal, isPreapproved } = paying;
  return payWith({
    wallet: wallet.keypair,
    rpcUrl: (network) => rpc ?? sandboxRpc(gateway, network),
    async approve({ network, amount, payTo }) {
      const what = `$${dollars(Number(amount))} on ${network} to ${payTo}`;
      if (!isPreapproved && !(await terminal.confirm(`Pay ${what}?`))) throw new Error('nothing was paid');
      terminal.note(`paying ${what}`);
      await ensureFunded(paying, network);
    },
    caps,
    ledger,
  });
}
