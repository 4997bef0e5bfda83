import { newKeypair } from '@asset-gateway/client/node';
import { paymentFor } from '@asset-gateway/client/pay';
import type { Environment } from '@asset-gateway/gateway';
import type { PaymentRequired } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { associatedAddress } from '../../packages/sandbox/src/chain/token.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { type Draft, draftOf } from './forge-wire.ts';

/** A payment as x402's own client made it, and the parts that a forger works with. */
export interface Genuine {
  readonly payload: Record<string, unknown>;
  readonly wire: Buffer;
  readonly draft: Draft;
}

/** An answer to a payment. */
export interface Told {
  readonly status: number;
  readonly error: string | undefined;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/** The values that a refused payment must not change. */
export interface Standing {
  readonly calls: number;
  readonly transfers: number;
  readonly payee: bigint;
  readonly payer: bigint;
  readonly feePayer: bigint;
}

/** A gateway, a payee with a known key, and a wallet with USDC. */
export interface Forge {
  readonly gateway: SellingGateway;
  readonly payer: Uint8Array;
  readonly payee: Uint8Array;
  readonly feePayer: string;
  readonly payerAta: string;
  readonly payeeAta: string;
  /** The transfers' own mint. */
  readonly mint: string;
  /** A genuine payment for a fresh challenge; default: by the payer. */
  genuine(keypair?: Uint8Array): Promise<Genuine>;
  pay(payload: unknown): Promise<Told>;
  standing(): Promise<Standing>;
  stop(): Promise<void>;
}

export const PATH = '/v1/x402/solana/devnet/helius/rpc/getBalance';
const BODY = JSON.stringify({ params: ['So11111111111111111111111111111111111111112'] });
const JSON_TYPE = { 'content-type': 'application/json' };

export const addressOf = (keypair: Uint8Array): string => bs58.encode(keypair.subarray(32));

/** A payment with another transaction in it. */
export const carrying = (payload: Record<string, unknown>, wire: Uint8Array): Record<string, unknown> => ({
  ...payload,
  payload: { transaction: Buffer.from(wire).toString('base64') },
});

async function ask(url: string, headers: Record<string, string>): Promise<Told> {
  const response = await fetch(url + PATH, { method: 'POST', body: BODY, headers: { ...JSON_TYPE, ...headers } });
  const body = (await response.json()) as Record<string, unknown>;
  const error = typeof body.error === 'string' ? body.error : undefined;
  return { status: response.status, error, body, headers: response.headers };
}

async function genuineOf(gateway: SellingGateway, keypair: Uint8Array): Promise<Genuine> {
  const { body } = await ask(gateway.url, {});
  const required = body as unknown as PaymentRequired;
  const headers = await paymentFor(required, { wallet: keypair, rpcUrl: gateway.solana.devnet.url });
  const payload = JSON.parse(atob(Object.values(headers)[0] ?? '')) as Record<string, unknown>;
  const { transaction } = payload.payload as { transaction: string };
  const wire = Buffer.from(transaction, 'base64');
  return { payload, wire, draft: draftOf(wire) };
}

/** Opens one. The payee is a wallet of the forger's own, so that even it can be made to pay; a remote facilitator's fee payer is named. */
export async function openForge(variables: Environment = {}, remoteFeePayer?: string): Promise<Forge> {
  const [payer, payee] = [newKeypair(), newKeypair()];
  const gateway = await startForge(payee, variables);
  const { devnet } = gateway.solana;
  const feePayer = remoteFeePayer ?? addressOf(bs58.decode(gateway.solana.variables.FEE_PAYER_KEYPAIR ?? ''));
  await devnet.fundUsdc(addressOf(payer), 1_000_000n);
  await devnet.fundUsdc(addressOf(payee), 1_000_000n);
  return {
    gateway,
    payer,
    payee,
    feePayer,
    mint: devnet.usdcMint,
    payerAta: await associatedAddress(addressOf(payer), devnet.usdcMint),
    payeeAta: await associatedAddress(addressOf(payee), devnet.usdcMint),
    genuine: (keypair = payer) => genuineOf(gateway, keypair),
    pay: (payload) =>
      ask(gateway.url, { 'payment-signature': Buffer.from(JSON.stringify(payload)).toString('base64') }),
    standing: async () => ({
      calls: devnet.calls.length,
      transfers: devnet.transfers.length,
      payee: await devnet.usdcBalance(addressOf(payee)),
      payer: await devnet.usdcBalance(addressOf(payer)),
      feePayer: devnet.lamports(feePayer),
    }),
    stop: async () => {
      await gateway.stop();
      await gateway.solana.close();
    },
  };
}

async function startForge(payee: Uint8Array, variables: Environment): Promise<SellingGateway> {
  const { startSolanaSandbox } = await import('../../packages/sandbox/src/solana-sandbox.ts');
  const solana = await startSolanaSandbox({ key: 'CANARY_0123456789_provider_key' });
  for (const chain of [solana.mainnet, solana.devnet]) await chain.createAta(addressOf(payee));
  return startSellingGateway({ PAY_TO_WALLET: addressOf(payee), ...variables }, { solana: solana });
}
