/** Replaces kit's RPC client in this page. Our client supplies blockhash and mint, so x402's scheme makes no RPC call. */
export const createSolanaRpc = (): object => ({});
