import { USDC_DECIMALS } from '@asset-gateway/protocol/wire';
import type { Address } from '@solana/kit';
import { GatewayError } from './error.ts';
import type { Offer } from './offer.ts';

/** A payment of x402's client. */
export interface Payment {
  /** The requirement that it pays. */
  readonly accepted: unknown;
  /** On Solana a signed transaction, in base64. */
  readonly payload: Readonly<Record<string, unknown>>;
}

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
/** The token program that USDC belongs to. */
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;
const MISMATCH = 'the payment differs from the approved offer; it was not sent';
const TRANSFER_CHECKED = 12;
const COMPARED = ['network', 'asset', 'payTo', 'amount'] as const;
const utf8 = new TextEncoder();

/** An instruction with the addresses of its accounts. */
interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: readonly number[];
}

/** The associated token account of an owner. */
export async function tokenAccount(owner: string, mint: string): Promise<string> {
  const { getAddressEncoder, getProgramDerivedAddress } = await import('./kit-address.ts');
  const seeds = [owner, TOKEN, mint].map((each) => getAddressEncoder().encode(each as Address));
  const [account] = await getProgramDerivedAddress({ programAddress: ASSOCIATED_TOKEN, seeds });
  return account;
}

/** The approved transfer: the only instruction that may move money. */
async function transferOf({ asset, payTo, amount }: Offer, payer: string): Promise<Instruction> {
  const { getU64Encoder } = await import('./kit.ts');
  return {
    program: TOKEN,
    accounts: [await tokenAccount(payer, asset), asset, await tokenAccount(payTo, asset), payer],
    data: [TRANSFER_CHECKED, ...getU64Encoder().encode(BigInt(amount)), USDC_DECIMALS],
  };
}

/** The fee payer and the instructions of a transaction without its compute budget. */
async function actsOf(transaction: string) {
  const { getBase64Encoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } = await import('./kit.ts');
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  const { staticAccounts, instructions } = getCompiledTransactionMessageDecoder().decode(messageBytes);
  // Accounts from lookup tables have no address here, so they never match an approved one.
  const nameOf = (index: number): string => staticAccounts[index] ?? '';
  const acts = instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => {
    return { program: nameOf(programAddressIndex), accounts: accountIndices.map(nameOf), data: [...data] };
  });
  return {
    feePayer: nameOf(0),
    acts: acts.filter(({ program }) => program !== COMPUTE_BUDGET && program !== MEMO),
    memos: acts.filter(({ program }) => program === MEMO),
  };
}

/** Whether the memo is that of the offer. Without one in the offer, x402 adds a random memo. */
const hasOfferedMemo = ({ memo }: Offer, memos: readonly Instruction[]): boolean =>
  memo === undefined
    ? memos.length <= 1
    : JSON.stringify(memos.map(({ data }) => data)) === JSON.stringify([[...utf8.encode(memo)]]);

/**
 * Throws unless the payment is for this offer and its transaction makes that transfer once and nothing else. Returns the memo, an empty
 * text if there is none.
 */
export async function assertPays({ accepted, payload }: Payment, offer: Offer, payer: string): Promise<string> {
  const claimed = accepted as Readonly<Record<string, unknown>>;
  const { feePayer, acts, memos } = await actsOf(String(payload.transaction));
  const isApproved =
    claimed.scheme === 'exact' &&
    COMPARED.every((name) => claimed[name] === offer[name]) &&
    feePayer !== payer &&
    hasOfferedMemo(offer, memos) &&
    JSON.stringify(acts) === JSON.stringify([await transferOf(offer, payer)]);
  if (!isApproved) throw new GatewayError('payment_mismatch', { message: MISMATCH });
  return new TextDecoder().decode(Uint8Array.from(memos[0]?.data ?? []));
}
