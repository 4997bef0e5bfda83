import { MEMO_PROGRAM, MEMO_PROGRAM_V1, TOKEN_PROGRAM } from './addresses.ts';
import type { TokenAccount } from './token.ts';
import { type Instruction, memosOf, type WireTransaction } from './transaction.ts';

/** USDC that moved from one wallet to another; `memo` is the first memo of the transaction. */
export interface Transfer {
  readonly signature: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly memo: string | null;
}

const TRANSFER = 3;
const TRANSFER_CHECKED = 12;

/** The source, destination and amount of a token transfer; undefined for other instructions. */
export function readTransfer({ accounts, data }: Instruction) {
  const kind = data[0];
  if ((kind !== TRANSFER && kind !== TRANSFER_CHECKED) || data.length < 9) {
    return undefined;
  }
  const [source, second, third] = accounts;
  const destination = kind === TRANSFER ? second : third;
  const amount = Buffer.from(data).readBigUInt64LE(1);
  return source === undefined || destination === undefined ? undefined : { source, destination, amount };
}

/** The data that transfers are read from. */
export interface Movement {
  readonly transaction: WireTransaction;
  /** Including inner instructions. */
  readonly instructions: readonly Instruction[];
  readonly mint: string;
  readonly tokenAccount: (address: string) => TokenAccount | undefined;
}

/** The USDC transfers of a successful transaction. */
export function transfersOf({ transaction, instructions, mint, tokenAccount }: Movement): Transfer[] {
  const [memo = null] = memosOf(transaction, [MEMO_PROGRAM, MEMO_PROGRAM_V1]);
  return instructions.flatMap((instruction) => {
    const moved = transaction.keys[instruction.programIndex] === TOKEN_PROGRAM ? readTransfer(instruction) : undefined;
    const from = moved && tokenAccount(transaction.keys[moved.source] ?? '');
    const to = moved && tokenAccount(transaction.keys[moved.destination] ?? '');
    return moved && from?.mint === mint && to?.mint === mint
      ? [{ signature: transaction.signature, from: from.owner, to: to.owner, amount: moved.amount, memo }]
      : [];
  });
}
