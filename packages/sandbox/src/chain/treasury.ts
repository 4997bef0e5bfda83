import {
  AccountRole,
  type Address,
  appendTransactionMessageInstruction,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import { accountOrNew, type Bank } from './bank.ts';
import type { Account } from './svm.ts';
import { associatedAddress, readTokenAccount, TOKEN_ACCOUNT_SIZE, tokenAccountData } from './token.ts';
import { readTransaction } from './transaction.ts';

/** Gives wallets play money. */
export interface Treasury {
  /** Creates the wallet's USDC account if needed; returns its address. */
  createAta(owner: string, program?: string): Promise<string>;
  /** Adds millionths of USDC to a wallet, without a transaction. */
  fundUsdc(owner: string, amount: bigint): Promise<void>;
  usdcBalance(owner: string): Promise<bigint>;
  /** Adds lamports to an account, without a transaction. */
  airdrop(address: string, lamports: bigint): void;
  /** Sends lamports in a transaction; returns its signature. */
  pay(address: string, lamports: bigint): Promise<string>;
}

const TREASURY_LAMPORTS = 1_000_000_000_000_000n;
const TRANSFER = 2;

async function createPayer(bank: Bank): Promise<Treasury['pay']> {
  const signer = await generateKeyPairSigner();
  bank.svm.setAccount({ ...accountOrNew(signer.address, bank.svm), lamports: TREASURY_LAMPORTS });
  let paid = 0;
  return async (address, lamports) => {
    const data = Buffer.alloc(12);
    data.writeUInt32LE(TRANSFER, 0);
    data.writeBigUInt64LE(lamports, 4);
    // A second transfer makes equal payments in one block different transactions.
    paid += 1;
    const distinct = Buffer.alloc(12);
    distinct.writeUInt32LE(TRANSFER, 0);
    distinct.writeBigUInt64LE(BigInt(paid), 4);
    const programAddress = SYSTEM_PROGRAM as Address;
    const from = { address: signer.address, role: AccountRole.WRITABLE_SIGNER };
    const to = { address: address as Address, role: AccountRole.WRITABLE };
    const lifetime = bank.blocks.latest('confirmed');
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayerSigner(signer, draft),
      (draft) =>
        setTransactionMessageLifetimeUsingBlockhash({ ...lifetime, blockhash: lifetime.blockhash as Blockhash }, draft),
      (draft) => appendTransactionMessageInstruction({ programAddress, accounts: [from, to], data }, draft),
      (draft) => appendTransactionMessageInstruction({ programAddress, accounts: [from, from], data: distinct }, draft),
    );
    const signed = await signTransactionMessageWithSigners(message);
    const wire = Buffer.from(getTransactionEncoder().encode(signed)).toString('base64');
    const transaction = readTransaction(wire, 'base64');
    bank.land(transaction);
    return transaction.signature;
  };
}

/** Opens a treasury with enough lamports for any test. */
export async function createTreasury(bank: Bank): Promise<Treasury> {
  const { svm, mint } = bank;
  const known = new Map<string, string>();
  const addressOf = async (owner: string): Promise<string> => {
    const address = known.get(owner) ?? (await associatedAddress(owner, mint));
    known.set(owner, address);
    return address;
  };
  const hold = (address: string, owner: string, amount: bigint, program = TOKEN_PROGRAM): void => {
    const lamports = svm.account(address)?.lamports ?? svm.rent(BigInt(TOKEN_ACCOUNT_SIZE));
    const data = tokenAccountData({ mint, owner, amount });
    const account: Account = { address, lamports, data, owner: program, executable: false };
    svm.setAccount(account);
    bank.holders.add(owner);
  };
  const balance = (address: string) => readTokenAccount(svm.account(address))?.amount;
  return {
    pay: await createPayer(bank),
    async createAta(owner, program) {
      const address = await addressOf(owner);
      if (balance(address) === undefined) {
        hold(address, owner, 0n, program);
      }
      return address;
    },
    async fundUsdc(owner, amount) {
      const address = await addressOf(owner);
      hold(address, owner, (balance(address) ?? 0n) + amount);
    },
    usdcBalance: async (owner) => balance(await addressOf(owner)) ?? 0n,
    airdrop(address, lamports) {
      const account = accountOrNew(address, svm);
      svm.setAccount({ ...account, lamports: account.lamports + lamports });
    },
  };
}
