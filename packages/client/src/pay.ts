import { HEADERS, type PaymentRequired } from '@asset-gateway/protocol';
import { offerIn, payableIn } from './offer.ts';
import { assertPays } from './payment-check.ts';

/** What a wallet pays with. */
export interface Purse {
  /** The 64 bytes of the wallet's key pair. */
  readonly keypair: Uint8Array;
  /** The RPC of the cluster that is paid on, for a fresh blockhash. */
  readonly rpcUrl: string;
}

/**
 * Makes the payment that a 402 asks for, with x402's own client: the headers that buy the answer. What is signed is the
 * offer that `offerIn` shows of this 402, whatever else it asks for; throws when it would be anything more.
 */
export async function paymentFor(body: PaymentRequired, { keypair, rpcUrl }: Purse): Promise<Record<string, string>> {
  const [offer, required] = [offerIn(body), payableIn(body)];
  if (!offer) throw new Error('the 402 asks for no payment');
  const [kit, { x402Client }, { ExactSvmScheme }] = await Promise.all([
    import('@solana/kit'),
    import('@x402/core/client'),
    import('@x402/svm/exact/client'),
  ]);
  const signer = await kit.createKeyPairSignerFromBytes(keypair);
  const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl }));
  const payment = await client.createPaymentPayload(
    required as unknown as Parameters<typeof client.createPaymentPayload>[0],
  );
  await assertPays(payment, offer, signer.address);
  return { [HEADERS.payment]: btoa(JSON.stringify(payment)) };
}

/** The transaction of a payment that has settled, from the answer's headers. */
export function transactionIn(response: Response): string | undefined {
  const header = response.headers.get(HEADERS.paymentResponse);
  return header === null ? undefined : (JSON.parse(atob(header)) as { transaction?: string }).transaction;
}
