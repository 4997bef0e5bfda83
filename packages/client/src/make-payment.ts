import { HEADERS, PROGRAMS, USDC_DECIMALS } from '@asset-gateway/protocol/wire';
import type { TransactionSigner } from '@solana/kit';
import { latestBlockhash, type RpcAccess } from './chain.ts';
import { GatewayError } from './error.ts';
import type { LedgerEntry } from './ledger.ts';
import type { PayableOffer } from './offer.ts';
import { assertPays, tokenAccount } from './payment-check.ts';
import { base64 } from './signer.ts';

/** Throws an error of the wallet or its RPC as `payment_not_made`. */
export function notMade(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause;
  const message = 'the payment could not be made, and nothing was sent; check rpcUrl and the wallet';
  throw new GatewayError('payment_not_made', { message, cause });
}

/** The headers of a payment, and how to find the payment on its chain. */
export type MadePayment = Pick<LedgerEntry, 'headers' | 'trace'>;

/** Makes the payment with x402's own scheme, and checks that it pays the offer. */
export async function makePayment(
  { payable, offer }: PayableOffer,
  signer: TransactionSigner,
  access: RpcAccess,
): Promise<MadePayment> {
  const { ExactSvmScheme } = await import('@x402/svm/exact/client');
  const { x402Version, resource, extensions, accepts } = payable;
  const [accepted] = accepts as readonly [{ readonly extra: object }];
  const scheme = new ExactSvmScheme(signer as never, { rpcUrl: access.rpcUrl });
  // The scheme would fetch these from the RPC without limits.
  const mintCache = Reflect.get(scheme, 'mintCache') as Map<string, Promise<object>> | undefined;
  const mint = { decimals: USDC_DECIMALS, programAddress: PROGRAMS.token };
  mintCache?.set(`${offer.network}:${offer.asset}`, Promise.resolve(mint));
  const { blockhash, ...life } = await latestBlockhash(access);
  const requirement = { ...accepted, extra: { ...accepted.extra, recentBlockhash: blockhash } };
  const { payload } = await scheme.createPaymentPayload(x402Version, requirement as never);
  const payment = { x402Version, payload, extensions, resource, accepted };
  const memo = await assertPays(payment, { offer, payer: signer.address, blockhash });
  const { network, asset } = offer;
  return {
    headers: { [HEADERS.payment]: base64(JSON.stringify(payment)) },
    trace: { network, account: await tokenAccount(signer.address, asset), memo, ...life },
  };
}
