import { generateKeyPairSync, sign } from 'node:crypto';
import bs58 from 'bs58';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import type { Bank } from './bank.ts';
import { invalidParams } from './json-rpc.ts';
import type { Methods } from './node.ts';
import { addressAt } from './params.ts';
import { associatedAddress, readTokenAccount, TOKEN_ACCOUNT_SIZE, tokenAccountData } from './token.ts';
import { readTransaction } from './transaction.ts';

const TREASURY_LAMPORTS = 1_000_000_000_000_000n;

/** Returns the data of the system program's transfer of lamports. */
function transferData(lamports: bigint): Buffer {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return data;
}

/** Sends lamports in a transaction. Returns its signature. */
type Pay = (address: string, lamports: bigint) => string;

function createPayer(bank: Bank): Pay {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const from = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  bank.svm.setAccount({ ...bank.accountOrNew(bs58.encode(from)), lamports: TREASURY_LAMPORTS });
  let paid = 0n;
  return (address, lamports) => {
    paid += 1n;
    const message = Buffer.concat([
      // Version 0 with one signer, and one of three accounts that is only read.
      Buffer.of(0x80, 1, 0, 1, 3),
      from,
      bs58.decode(address),
      bs58.decode(SYSTEM_PROGRAM),
      bs58.decode(bank.blocks.latest('confirmed').blockhash),
      Buffer.of(2, 2, 2, 0, 1, 12),
      transferData(lamports),
      // A second transfer makes equal payments in one block different transactions.
      Buffer.of(2, 2, 0, 0, 12),
      transferData(paid),
      Buffer.of(0),
    ]);
    const wire = Buffer.concat([Buffer.of(1), sign(null, message, privateKey), message]);
    const transaction = readTransaction(wire.toString('base64'));
    bank.land(transaction);
    return transaction.signature;
  };
}

/** Gives play money to a chain's wallets, without transactions. */
export function createTreasury(bank: Bank) {
  const { svm, mint } = bank;
  const known = new Map<string, string>();
  const addressOf = async (owner: string): Promise<string> => {
    const address = known.get(owner) ?? (await associatedAddress(owner, mint));
    known.set(owner, address);
    return address;
  };
  const hold = (address: string, owner: string, amount: bigint, program = TOKEN_PROGRAM): void => {
    const lamports = svm.account(address)?.lamports ?? svm.rent(TOKEN_ACCOUNT_SIZE);
    const data = tokenAccountData({ mint, owner, amount });
    svm.setAccount({ address, lamports, data, owner: program, executable: false });
    bank.holders.add(owner);
  };
  const balance = (address: string) => readTokenAccount(svm.account(address))?.amount;
  return {
    /** Creates the wallet's USDC account if it is missing. Returns its address. */
    async createAta(owner: string, program?: string): Promise<string> {
      const address = await addressOf(owner);
      if (balance(address) === undefined) hold(address, owner, 0n, program);
      return address;
    },
    /** Adds millionths of USDC to a wallet. */
    async fundUsdc(owner: string, amount: bigint): Promise<void> {
      const address = await addressOf(owner);
      hold(address, owner, (balance(address) ?? 0n) + amount);
    },
    usdcBalance: async (owner: string) => balance(await addressOf(owner)) ?? 0n,
    /** Adds lamports to an account. */
    airdrop(address: string, lamports: bigint): void {
      const account = bank.accountOrNew(address);
      svm.setAccount({ ...account, lamports: account.lamports + lamports });
    },
  };
}

const FAUCET_USDC = 10_000_000n;
const FAUCET_LAMPORTS = 1_000_000_000n;
const MAX_AIRDROP_LAMPORTS = 1_000_000_000_000n;

function lamportsIn(value: unknown): bigint {
  const lamports = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof lamports !== 'bigint' || lamports <= 0n || lamports > MAX_AIRDROP_LAMPORTS) {
    throw invalidParams(`Invalid params: expected lamports, 1 to ${MAX_AIRDROP_LAMPORTS}.`);
  }
  return lamports;
}

/** Returns the methods of the faucet. */
export function faucetMethods(bank: Bank, treasury: ReturnType<typeof createTreasury>): Methods {
  const pay = createPayer(bank);
  return {
    requestAirdrop: (params) => pay(addressAt(params, 0), lamportsIn(params[1])),
    async sandbox_faucet(params) {
      const address = addressAt(params, 0);
      await treasury.fundUsdc(address, FAUCET_USDC);
      const signature = pay(address, FAUCET_LAMPORTS);
      const tokenAccount = await treasury.createAta(address);
      return { address, tokenAccount, usdc: FAUCET_USDC.toString(), lamports: FAUCET_LAMPORTS, signature };
    },
  };
}
