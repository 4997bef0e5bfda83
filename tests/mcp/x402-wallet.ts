import { generateKeyPairSigner } from '@solana/kit';
import { x402Client } from '@x402/core/client';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import type { PaidGateway } from '../kit/test-gateway.ts';

/** x402's own client with a funded wallet, and the number of its payments on the chain. */
export async function openX402Wallet(chain: PaidGateway['solana']['mainnet']) {
  const signer = await generateKeyPairSigner();
  await chain.fundUsdc(signer.address, 1_000_000n);
  const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl: chain.url }));
  return {
    pay: (required: PaymentRequired): Promise<PaymentPayload> => client.createPaymentPayload(required),
    transfers: () => chain.transfers.filter(({ from }) => from === signer.address).length,
  };
}
