import { INSTRUCTIONS, USDC_DECIMALS } from '@asset-gateway/protocol';
import { type Address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import bs58 from 'bs58';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import type { Account } from './svm.ts';
import { type Instruction, memosOf, type WireTransaction } from './transaction.ts';

/** The size of a token account of the first token program. */
export const TOKEN_ACCOUNT_SIZE = 165;
const MINT_SIZE = 82;
const INITIALIZED = 1;

/** The fields of a token account. */
export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
}

/** Returns the data of a token account without a delegate. */
export function tokenAccountData({ mint, owner, amount }: TokenAccount): Uint8Array {
  const data = Buffer.alloc(TOKEN_ACCOUNT_SIZE);
  data.set(bs58.decode(mint), 0);
  data.set(bs58.decode(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(INITIALIZED, 108);
  return Uint8Array.from(data);
}

/** Returns the data of a mint without authorities. */
export function mintData(supply: bigint, decimals: number): Uint8Array {
  const data = Buffer.alloc(MINT_SIZE);
  data.writeBigUInt64LE(supply, 36);
  data.writeUInt8(decimals, 44);
  data.writeUInt8(INITIALIZED, 45);
  return Uint8Array.from(data);
}

const isTokenProgram = (program: string): boolean => program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;

/** Returns the fields of a token account; undefined if it is not one. */
export function readTokenAccount(account: Account | undefined): TokenAccount | undefined {
  if (!account || !isTokenProgram(account.owner) || account.data.length < TOKEN_ACCOUNT_SIZE || !account.data[108]) {
    return undefined;
  }
  const data = Buffer.from(account.data);
  return {
    mint: bs58.encode(data.subarray(0, 32)),
    owner: bs58.encode(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(64),
  };
}

/** Returns an amount of USDC as RPC returns it: an exact text and a rounded number. */
export function tokenAmount(amount: bigint) {
  const digits = amount.toString().padStart(USDC_DECIMALS + 1, '0');
  const text = `${digits.slice(0, -USDC_DECIMALS)}.${digits.slice(-USDC_DECIMALS)}`.replace(/\.?0{1,6}$/, '');
  return { amount: amount.toString(), decimals: USDC_DECIMALS, uiAmount: Number(text), uiAmountString: text };
}

/** Returns the token account of a wallet for a mint. Gateway and client derive it too: the three check each other. */
export async function associatedAddress(owner: string, mint: string): Promise<string> {
  const encoder = getAddressEncoder();
  const seeds = [owner, TOKEN_PROGRAM, mint].map((seed) => encoder.encode(seed as Address));
  const [address] = await getProgramDerivedAddress({ programAddress: ASSOCIATED_TOKEN_PROGRAM as Address, seeds });
  return address;
}

/** A movement of USDC from one wallet to another. `memo`: the transaction's first memo. */
export interface Transfer {
  readonly signature: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly memo: string | null;
}

const TRANSFER = 3;

/** Returns the USDC that an instruction moves between these accounts; undefined if it is not a token transfer. */
function transferOf({ staticAccounts: keys }: WireTransaction['message'], instruction: Instruction) {
  const { programAddressIndex, accountIndices = [], data: bytes = [] } = instruction;
  const data = Buffer.from([...bytes]);
  const isTransfer = data[0] === TRANSFER || data[0] === INSTRUCTIONS.transferChecked;
  if (keys[programAddressIndex] !== TOKEN_PROGRAM || !isTransfer || data.length < 9) return undefined;
  const [source = -1, second = -1, third = -1] = accountIndices;
  const destination = data[0] === TRANSFER ? second : third;
  return { source: keys[source] ?? '', destination: keys[destination] ?? '', amount: data.readBigUInt64LE(1) };
}

/** Returns the USDC transfers of a successful transaction. */
export function transfersOf(
  transaction: WireTransaction,
  mint: string,
  tokenAccount: (address: string) => TokenAccount | undefined,
): Transfer[] {
  const [memo = null] = memosOf(transaction);
  const { message, signature } = transaction;
  return message.instructions.flatMap((instruction) => {
    const moved = transferOf(message, instruction);
    const from = moved && tokenAccount(moved.source);
    const to = moved && tokenAccount(moved.destination);
    return moved && from?.mint === mint && to?.mint === mint
      ? [{ signature, from: from.owner, to: to.owner, amount: moved.amount, memo }]
      : [];
  });
}
