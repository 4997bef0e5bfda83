import { randomBytes } from 'node:crypto';
import { newSigner } from '@asset-gateway/client/node';
import { NETWORKS, USDC } from '@asset-gateway/protocol';

export const [payTo, feePayer] = [newSigner().address, newSigner().address];

/** A catalog with RPC methods at this price. */
export const catalogWith = (priceUsd: string, schema: object = {}) => ({
  routes: ['mainnet', 'devnet'].map((cluster) => ({
    httpMethod: 'POST',
    path: `/v1/x402/solana/${cluster}/helius/rpc/:method`,
    priceUsd,
    accessMode: 'exact',
    description: 'A route.',
    ...schema,
  })),
});

/** A requirement of 5 millionths. It has a new memo each time, like a gateway's, so that two payments with one blockhash differ. */
export const requirement = (change: object = {}, extra: object = {}) => ({
  scheme: 'exact',
  network: NETWORKS.mainnet,
  amount: '5',
  asset: USDC.mainnet,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { feePayer, memo: randomBytes(24).toString('base64url'), ...extra },
  ...change,
});

/** The body of a 402 with these requirements. */
export const asking = (accepts: unknown, more: object = {}) => ({
  ok: false,
  error: 'payment_required',
  message: 'Pay.',
  requestId: 'r-1',
  x402Version: 2,
  resource: { url: 'http://x/' },
  accepts,
  extensions: {},
  ...more,
});

/** The body of a refusal. */
export const refusal = (error: string, more: object = {}) => ({
  ok: false,
  error,
  message: 'Do something else.',
  requestId: 'r-1',
  ...more,
});
