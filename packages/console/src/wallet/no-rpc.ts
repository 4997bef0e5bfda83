/** Replaces kit's RPC client in this page: our client supplies the blockhash and the mint, so x402's scheme makes no RPC call. */
export const createSolanaRpc = (): object => ({});
