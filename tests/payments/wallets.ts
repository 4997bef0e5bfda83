import { NETWORKS } from '@asset-gateway/protocol';
import { createSignableMessage, generateKeyPairSigner } from '@solana/kit';
import { x402Client } from '@x402/core/client';
import type { PaymentRequired } from '@x402/core/types';
import { wrapFetchWithPayment } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';

const FUNDS = 10_000_000n;

/** A new wallet behind x402's own client, with USDC on both chains; without funds it has no USDC account either. */
export async function openWallet(solana: SolanaSandbox, funds = FUNDS) {
  const signer = await generateKeyPairSigner();
  const client = new x402Client();
  for (const cluster of ['mainnet', 'devnet'] as const) {
    if (funds > 0n) await solana[cluster].fundUsdc(signer.address, funds);
    client.register(NETWORKS[cluster], new ExactSvmScheme(signer, { rpcUrl: solana[cluster].url }));
  }
  return {
    address: String(signer.address),
    /** Signs in as this wallet. */
    signIn: {
      address: signer.address,
      async signMessage(message: Uint8Array) {
        const [signatures] = await signer.signMessages([createSignableMessage(message)]);
        return signatures?.[signer.address] ?? new Uint8Array();
      },
    },
    /** x402's fetch, which pays by itself. */
    buy: wrapFetchWithPayment(fetch, client) as typeof fetch,
    /** Makes the payment that a 402 asks for, and sends nothing. */
    pay: (required: PaymentRequired) => client.createPaymentPayload(required),
  };
}

export type Wallet = Awaited<ReturnType<typeof openWallet>>;
