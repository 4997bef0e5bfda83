/** Replaces kit's RPC client in this page: the client gives x402's scheme its blockhash and mint, so the scheme asks for nothing. */
export const createSolanaRpc = (): object => ({});
