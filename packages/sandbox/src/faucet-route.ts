import type { OwnRoute } from '@asset-gateway/gateway';
import { type Cluster, faucetRoute } from '@asset-gateway/protocol';
import type { SolanaSandbox } from './solana-sandbox.ts';

/** The row by which a page of the gateway gets play money: from its own origin, as it may ask no other. */
export const faucetOf = (solana: SolanaSandbox): OwnRoute => ({
  route: faucetRoute,
  async answer({ input: { body } }) {
    const chain = solana[body.cluster as Cluster];
    await chain.answer('sandbox_faucet', [String(body.address)]);
    return { json: JSON.stringify({ ok: true }) };
  },
});
