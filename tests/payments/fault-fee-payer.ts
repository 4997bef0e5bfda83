import bs58 from 'bs58';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';

/** The fee payer of a world's own gateway. */
export const feePayerOf = ({ variables }: SolanaSandbox): string =>
  bs58.encode(bs58.decode(variables.FEE_PAYER_KEYPAIR ?? '').subarray(32));

/** Takes all lamports from the fee payer, but for so many. */
export function drain(solana: SolanaSandbox, left = 0n): void {
  const address = feePayerOf(solana);
  for (const chain of [solana.mainnet, solana.devnet]) chain.airdrop(address, left - chain.lamports(address));
}
