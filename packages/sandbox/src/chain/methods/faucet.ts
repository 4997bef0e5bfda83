import type { Json } from '../json.ts';
import type { Method } from '../node.ts';
import { addressAt } from '../params.ts';
import { invalidParams } from '../rpc-error.ts';
import type { Treasury } from '../treasury.ts';

const FAUCET_USDC = 10_000_000n;
const FAUCET_LAMPORTS = 1_000_000_000n;
const MAX_AIRDROP_LAMPORTS = 1_000_000_000_000n;

function lamportsIn(value: Json | undefined): bigint {
  const lamports = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof lamports !== 'bigint' || lamports <= 0n || lamports > MAX_AIRDROP_LAMPORTS) {
    throw invalidParams(`Invalid params: expected lamports, 1 to ${MAX_AIRDROP_LAMPORTS}.`);
  }
  return lamports;
}

/** The methods that give out play money. */
export const faucetMethods = (treasury: Treasury): Readonly<Record<string, Method>> => ({
  requestAirdrop: (params) => treasury.pay(addressAt(params, 0), lamportsIn(params[1])),
  async sandbox_faucet(params) {
    const address = addressAt(params, 0);
    await treasury.fundUsdc(address, FAUCET_USDC);
    const signature = await treasury.pay(address, FAUCET_LAMPORTS);
    const tokenAccount = await treasury.createAta(address);
    return { address, tokenAccount, usdc: FAUCET_USDC.toString(), lamports: FAUCET_LAMPORTS, signature };
  },
});
