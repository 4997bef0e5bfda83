import { NETWORKS } from '@asset-gateway/protocol';
import { generateKeyPairSigner } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { createSIWxClientHook, type SIWxSigner } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import type { TestGateway } from '../kit/test-gateway.ts';

/** x402's own client, with a wallet that signs in and pays. */
export async function officialFetch({ solana }: Pick<TestGateway, 'solana'>): Promise<typeof fetch> {
  if (!solana) throw new Error('nothing is sold');
  const signer = await generateKeyPairSigner();
  const client = new x402Client();
  for (const cluster of ['mainnet', 'devnet'] as const) {
    await solana[cluster].fundUsdc(signer.address, 10_000_000n);
    client.register(NETWORKS[cluster], new ExactSvmScheme(signer, { rpcUrl: solana[cluster].url }));
  }
  const both = new x402HTTPClient(client).onPaymentRequired(createSIWxClientHook(signer as unknown as SIWxSigner));
  return wrapFetchWithPayment(fetch, both) as typeof fetch;
}
