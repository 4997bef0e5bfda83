import { newKeypair } from '@asset-gateway/client/node';
import { paymentFor } from '@asset-gateway/client/pay';
import type { Environment } from '@asset-gateway/gateway';
import { NETWORKS, type PaymentRequired, Refusal } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import type { Inbound } from '../../packages/gateway/src/call.ts';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import {
  type Candidate,
  carriedPayment,
  readPresentedPayment,
} from '../../packages/gateway/src/payments/read/payment.ts';
import { Memos, requirementOf } from '../../packages/gateway/src/payments/read/requirement.ts';
import { readTransaction, readTransfer } from '../../packages/gateway/src/payments/read/transaction.ts';
import { type Chain, startChain } from '../../packages/sandbox/src/chain/chain.ts';
import { associatedAddress } from '../../packages/sandbox/src/chain/token.ts';
import { standIn } from '../kit/stand-in.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { callOf, headerOf, requiredFor, sendPaid } from './calls.ts';
import { addressOf, type Draft, draftOf } from './drafts.ts';

/** A payment as x402's own client made it, and the parts that a forger works with. */
export interface Genuine {
  readonly payload: { [name: string]: unknown; accepted: unknown; payload: { transaction: string } };
  readonly wire: Buffer;
  readonly draft: Draft;
}

/** Who takes part in a payment. The payee is a wallet of the forger's own, so that even it can be made to pay. */
export interface Parties {
  readonly payer: Uint8Array;
  readonly payee: Uint8Array;
  readonly feePayer: string;
  readonly payeeAta: string;
  /** The transfers' own mint. */
  readonly mint: string;
}

const CALL = callOf('rpc.devnet.helius.getBalance');

/** A payment of this wallet, as x402's own client makes it for a challenge. */
export async function genuineOf(required: PaymentRequired, wallet: Uint8Array, chain: Chain): Promise<Genuine> {
  const [header = ''] = Object.values(await paymentFor(required, { wallet, rpcUrl: chain.url }));
  const payload = JSON.parse(atob(header)) as Genuine['payload'];
  const wire = Buffer.from(payload.payload.transaction, 'base64');
  return { payload, wire, draft: draftOf(wire) };
}

/** Payer and payee with USDC on a chain. */
export async function openParties(chain: Chain, payee = newKeypair()): Promise<Omit<Parties, 'feePayer'>> {
  const payer = newKeypair();
  for (const wallet of [payer, payee]) await chain.fundUsdc(addressOf(wallet), 1_000_000n);
  const mint = chain.usdcMint;
  return { payer, payee, mint, payeeAta: await associatedAddress(addressOf(payee), mint) };
}

/** A gateway, and the parties of its payments. A remote facilitator's fee payer is named. */
export async function openForge(variables: Environment = {}, remoteFeePayer?: string) {
  const payee = newKeypair();
  const solana = await startChains();
  const { mainnet, devnet } = solana;
  for (const chain of [mainnet, devnet]) await chain.createAta(addressOf(payee));
  const gateway = await startSellingGateway({ PAY_TO_WALLET: addressOf(payee), ...variables }, { solana });
  const feePayer = remoteFeePayer ?? addressOf(bs58.decode(solana.variables.FEE_PAYER_KEYPAIR ?? ''));
  const parties = await openParties(devnet, payee);
  return {
    ...parties,
    gateway,
    feePayer,
    /** A genuine payment for a fresh challenge; default: by the payer. */
    genuine: async (keypair = parties.payer) => genuineOf(await requiredFor(gateway, CALL), keypair, devnet),
    pay: (payload: unknown) => sendPaid(gateway, CALL, payload),
    /** The values that a refused payment must not change. */
    standing: async () => ({
      calls: devnet.calls.length,
      transfers: devnet.transfers.length,
      payee: await devnet.usdcBalance(addressOf(payee)),
      payer: await devnet.usdcBalance(addressOf(parties.payer)),
      feePayer: devnet.lamports(feePayer),
    }),
  };
}

/** When the memos of a market's payments were issued, in seconds. */
export const ISSUED = 1_795_000_000;
const HASH = 'c'.repeat(64);
const UNDECODABLE = 'invalid_exact_svm_payload_transaction_could_not_be_decoded';

/** The gateway's check of payments, without a gateway, and a payment for it. */
export async function openMarket() {
  const chain = await startChain({ cluster: 'devnet' });
  const parties = await openParties(chain);
  const { payee, mint, payeeAta } = parties;
  const [network, feePayer] = [NETWORKS.devnet, addressOf(newKeypair())];
  const offer = { network, asset: mint, payTo: addressOf(payee), destination: payeeAta, amount: '5', feePayer };
  const memos = new Memos(nodeCrypto, ['a secret of at least thirty-two letters']);
  const challengeFor = (requestHash: string) => {
    const memo = memos.issue(offer, requestHash, ISSUED * 1000);
    return requirementOf(offer, memo, memos.ticketOf(memo));
  };
  const accepts = [challengeFor(HASH)];
  const resource = { url: 'http://x/', description: '', mimeType: '', serviceName: '', tags: [] };
  const required: PaymentRequired = { x402Version: 2, resource, accepts, error: '', extensions: {} };
  return {
    ...parties,
    chain,
    feePayer,
    offer,
    required,
    challengeFor,
    genuine: await genuineOf(required, parties.payer, chain),
    /** Reads a payment for the market's one request. */
    read(payload: unknown, change: Partial<Candidate> = {}) {
      const carried = carriedPayment(standIn<Inbound>({ headers: { 'payment-signature': headerOf(payload) } }));
      if (!carried || carried === 'malformed') throw new Error('malformed');
      const transaction = readTransaction(carried.transaction);
      if (!transaction) throw new Refusal(UNDECODABLE, { payment: { state: 'refused' } });
      const transfer = readTransfer(transaction, change.offer ?? offer, nodeCrypto);
      const request = { requestHash: HASH, nowMs: ISSUED * 1000, memos, isOwnFeePayer: false };
      const sent = { key: 'k', carried, transaction, transfer, offer };
      const presented = readPresentedPayment({ ...sent, ...request, ...change });
      if (presented instanceof Refusal) throw presented;
      return presented;
    },
  };
}
