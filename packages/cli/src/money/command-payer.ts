import { GatewayError, type Payer, type SignedPayment } from '@asset-gateway/client';
import {
  type Caps,
  findOffer,
  type Offer,
  type PayableOffer,
  payWith,
  type QuotingPayer,
} from '@asset-gateway/client/pay';
import { below, clusterOfNetwork, dollarText, isLoopbackHostname, isObject, NETWORKS } from '@asset-gateway/protocol';
import { fetchJson } from '../fetch-json.ts';
import type { Wallet } from '../keys/wallets.ts';
import type { Terminal } from '../show/terminal.ts';
import type { LedgerFile } from './ledger-file.ts';

/** Returns the URL of a sandbox's chain. The chains listen on the two ports after the gateway's. */
export function sandboxRpc(gateway: string, network: string): string {
  const { hostname, port } = new URL(gateway);
  return `http://${hostname}:${Number(port || 80) + (network === NETWORKS.mainnet ? 1 : 2)}`;
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 65_536 };
const INVALID_PARAMS = -32_602;

/** Returns the JSON answer of the sandbox's faucet; undefined without a faucet. */
async function faucetAnswer(rpcUrl: string, params: readonly string[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params });
  const headers = { 'Content-Type': 'application/json' };
  const asked = await fetchJson(new URL(rpcUrl), { method: 'POST', headers, body }, LIMITS).catch(() => undefined);
  return asked?.response.ok ? asked.body : undefined;
}

/** Requests play money. Returns whether a sandbox sent some. */
export async function askFaucet(rpcUrl: string, address: string): Promise<boolean> {
  const answer = await faucetAnswer(rpcUrl, [address]);
  return isObject(answer) && !('error' in answer);
}

/** Whether an RPC has a faucet of play money. Such a faucet refuses a call without an address. */
const hasFaucet = async (rpcUrl: string): Promise<boolean> =>
  below(await faucetAnswer(rpcUrl, []), 'error', 'code') === INVALID_PARAMS;

/** The wallet, limits and confirmation of payments. */
export interface PaymentSetup {
  readonly gateway: string;
  readonly wallet: Wallet;
  readonly terminal: Terminal;
  readonly ledger: LedgerFile;
  readonly rpc: string | undefined;
  readonly caps: Caps;
  /** Whether to pay without asking. Otherwise the user confirms at the terminal. */
  readonly isPreapproved: boolean;
}

/** Thrown by a call that needs a payment. Nothing was signed. `offer`: the price. `payable`: the 402 with its requirement. */
export class Unpaid extends Error {
  readonly offer: Offer;
  readonly payable: PayableOffer['payable'];

  constructor({ offer, payable }: PayableOffer) {
    super('nothing was paid');
    this.offer = offer;
    this.payable = payable;
  }
}

/** Returns a call's answer, or the offer that it did not pay. */
export async function answerOrOffer<Answer>(call: Promise<Answer>): Promise<Answer | Offer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Unpaid) return error.offer;
    throw error;
  }
}

/** Returns a 402's offer. Throws `nothing_payable` if there is none. */
export function offerFor(...[required, wish]: Parameters<Payer['pay']>): PayableOffer {
  const found = findOffer(required, wish);
  if (!found) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
  return found;
}

/** A payer that never pays. It throws `Unpaid` with the offer. */
export const quotingPayer: Payer = {
  async pay(...request) {
    throw new Unpaid(offerFor(...request));
  },
};

/** The known outcome of a payment. */
export type Outcome = 'open' | 'paid' | 'refused';

/** Returns the same payment, which writes its outcome into `by`. */
export function withOutcome(payment: SignedPayment, by: { outcome?: Outcome | undefined }): SignedPayment {
  by.outcome = 'open';
  return {
    ...payment,
    async closed(outcome) {
      by.outcome = outcome;
      await payment.closed?.(outcome);
    },
  };
}

/** Whether this program made the wallet. Only such a wallet gets play money. */
const isGenerated = ({ wallet: { source } }: Pick<PaymentSetup, 'wallet'>): boolean =>
  source === 'temporary' || source === 'stored';

/** Whether a URL names this machine. */
export const isLocal = (url: string): boolean => isLoopbackHostname(new URL(url).hostname);

/**
 * Returns a network's RPC. Throws if the wallet needs one of its own. A gateway on another machine could call its RPC a sandbox's, settle
 * payments that it refused, and free their amounts. So only a temporary wallet, which holds no money, pays through it.
 */
export function rpcOf(
  { rpc, gateway, wallet }: Pick<PaymentSetup, 'wallet' | 'rpc' | 'gateway'>,
  network: string,
): string {
  if (rpc !== undefined) return rpc;
  const isTrusted = wallet.source === 'temporary' || (wallet.source === 'stored' && isLocal(gateway));
  if (!isTrusted) throw new Error('your own wallet needs a Solana RPC to pay: add --rpc <url>');
  return sandboxRpc(gateway, network);
}

function inWords({ network, amount, payTo }: Offer, isPlayMoney: boolean): string {
  const cluster = clusterOfNetwork(network);
  const money = isPlayMoney ? `in play money on the sandbox's Solana ${cluster}` : `in USDC on Solana ${cluster}`;
  return `${dollarText(Number(amount))} ${money} to ${payTo}`;
}

/** Returns an offer in words. Only an RPC on this machine may say that its money is play money. */
export async function offerInWords(
  offer: Offer,
  { rpc, gateway }: Pick<PaymentSetup, 'rpc' | 'gateway'>,
): Promise<string> {
  const rpcUrl = rpc ?? sandboxRpc(gateway, offer.network);
  return inWords(offer, isLocal(rpcUrl) && (await hasFaucet(rpcUrl)));
}

/** Confirms a payment at the terminal, unless it is already approved. Throws if the wallet has no RPC to pay through. */
async function approve(offer: Offer, paying: PaymentSetup): Promise<void> {
  const { terminal, isPreapproved, rpc, wallet } = paying;
  const rpcUrl = rpcOf(paying, offer.network);
  const isSandbox = (isLocal(rpcUrl) || rpc === undefined) && (await hasFaucet(rpcUrl));
  if (rpc === undefined && !isSandbox) {
    const needed = wallet.source === 'stored' ? '--rpc <url>' : '--keypair <file> and --rpc <url>';
    throw new Error(`this gateway is not a sandbox: to pay, add ${needed}`);
  }
  const what = inWords(offer, isLocal(rpcUrl) && isSandbox);
  if (!isPreapproved && !(await terminal.confirm(`Pay ${what}?`))) throw new Error('nothing was paid');
  terminal.note(`paying ${what}`);
}

/** Gets play money for a generated wallet that holds too little. Returns whether a sandbox sent some. */
async function isFunded(error: unknown, paying: PaymentSetup): Promise<boolean> {
  if (!(error instanceof GatewayError) || !error.funds || !isGenerated(paying)) return false;
  return askFaucet(rpcOf(paying, error.funds.network), paying.wallet.signer.address);
}

/** Pays at most the catalog's price, within the limits of the ledger. A generated wallet gets play money in the sandbox. */
export function payerFor(paying: PaymentSetup): QuotingPayer {
  const { wallet, caps, ledger } = paying;
  const payer = payWith({
    wallet: wallet.keypair,
    rpcUrl: (network) => rpcOf(paying, network),
    approve: (offer) => approve(offer, paying),
    caps,
    ledger,
  });
  const withMoney = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    try {
      return await ask();
    } catch (error) {
      if (await isFunded(error, paying)) return ask();
      throw error;
    }
  };
  return {
    pay: (...request) => withMoney(() => payer.pay(...request)),
    quote: (...request) => withMoney(() => payer.quote(...request)),
  };
}
