import { HEADERS, type PaymentRequired } from '@asset-gateway/protocol';

/** What is asked for a paid answer. */
export interface Offer {
  /** CAIP-2. */
  readonly network: string;
  /** Millionths of a dollar in USDC. */
  readonly amount: string;
  readonly payTo: string;
}

/** What a wallet pays with. */
export interface Purse {
  /** The 64 bytes of the wallet's key pair. */
  readonly keypair: Uint8Array;
  /** The RPC of the cluster that is paid on, for a fresh blockhash. */
  readonly rpcUrl: string;
}

/** The offer in the body of a 402; nothing when it asks for something else than a payment. */
export function offerIn(body: unknown): Offer | undefined {
  const accepts = (body as Partial<PaymentRequired> | null)?.accepts;
  return accepts?.[0] as Offer | undefined;
}

/** Makes the payment that a 402 asks for, with x402's own client: the headers that buy the answer. */
export async function paymentFor(
  required: PaymentRequired,
  { keypair, rpcUrl }: Purse,
): Promise<Record<string, string>> {
  const [kit, { x402Client }, { ExactSvmScheme }] = await Promise.all([
    import('@solana/kit'),
    import('@x402/core/client'),
    import('@x402/svm/exact/client'),
  ]);
  const signer = await kit.createKeyPairSignerFromBytes(keypair);
  const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl }));
  const payload = await client.createPaymentPayload(
    required as unknown as Parameters<typeof client.createPaymentPayload>[0],
  );
  return { [HEADERS.payment]: btoa(JSON.stringify(payload)) };
}

/** The transaction of a payment that has settled, from the answer's headers. */
export function transactionIn(response: Response): string | undefined {
  const header = response.headers.get(HEADERS.paymentResponse);
  return header === null ? undefined : (JSON.parse(atob(header)) as { transaction?: string }).transaction;
}
