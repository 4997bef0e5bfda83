import bs58 from 'bs58';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';

/** The address of the sandbox's fee payer. */
export const feePayerOf = ({ variables }: SolanaSandbox): string =>
  bs58.encode(bs58.decode(variables.FEE_PAYER_KEYPAIR ?? '').subarray(32));

/** Leaves this many lamports to the fee payer. */
export function drain(solana: SolanaSandbox, left = 0n): void {
  const address = feePayerOf(solana);
  for (const chain of [solana.mainnet, solana.devnet]) chain.airdrop(address, left - chain.lamports(address));
}
