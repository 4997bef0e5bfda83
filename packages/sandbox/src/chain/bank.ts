import { USDC } from '@asset-gateway/protocol';
import { isAddress, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import { type BlockOptions, type Blocks, type Commitment, createBlocks } from './blocks.ts';
import type { Json } from './json.ts';
import { type Account, type Outcome, Svm } from './svm.ts';
import { mintData, readTokenAccount, type TokenAccount, type Transfer, transfersOf } from './token.ts';
import type { WireTransaction } from './transaction.ts';

/** The balances of a transaction's accounts, by the index of its keys. */
export interface Holdings {
  readonly lamports: readonly bigint[];
  readonly tokens: ReadonlyMap<number, TokenAccount>;
}

/** A transaction in a block, successful or not. */
export interface Landed {
  readonly transaction: WireTransaction;
  readonly slot: bigint;
  /** Milliseconds of the chain's clock. */
  readonly at: number;
  readonly outcome: Outcome;
  readonly before: Holdings;
  readonly after: Holdings;
}

/** The state of the chain: accounts, blocks and the transactions that made them. */
export type Bank = ReturnType<typeof createBank>;

const USDC_SUPPLY = 11_413_027_864_531_297n;

const refusedOutcome = (err: Json): Outcome => ({ err, logs: [], units: 0n, fee: 0n });

function usdcMint(mint: string, svm: Svm): Account {
  const data = mintData(USDC_SUPPLY);
  return { address: mint, lamports: svm.rent(BigInt(data.length)), data, owner: TOKEN_PROGRAM, executable: false };
}

function holdingsOf(keys: readonly string[], svm: Svm): Holdings {
  const accounts = keys.map((key) => svm.account(key));
  const tokens = new Map<number, TokenAccount>();
  accounts.forEach((account, index) => {
    const token = readTokenAccount(account);
    if (token) tokens.set(index, token);
  });
  return { lamports: accounts.map((account) => account?.lamports ?? 0n), tokens };
}

interface Books {
  readonly mint: string;
  readonly svm: Svm;
  readonly blocks: Blocks;
  /** Wallets that have had a token account. */
  readonly holders: Set<string>;
}

function tick({ svm, blocks }: Books): void {
  svm.setClock(blocks.slot('processed'), BigInt(Math.floor(blocks.now() / 1000)));
}

function execute(transaction: WireTransaction, books: Books): Landed | undefined {
  const { svm, blocks, holders } = books;
  blocks.advance(1n);
  tick(books);
  const before = holdingsOf(transaction.keys, svm);
  const outcome = svm.execute(transaction.wire);
  const after = holdingsOf(transaction.keys, svm);
  for (const { owner } of after.tokens.values()) holders.add(owner);
  // A failed transaction is in the block only if its fee payer could pay the fee.
  const charged = outcome.err === null || after.lamports[0] !== before.lamports[0];
  return charged
    ? { transaction, slot: blocks.slot('processed'), at: blocks.now(), outcome, before, after }
    : undefined;
}

function movements({ transaction, outcome, before, after }: Landed, mint: string): Transfer[] {
  const tokenAccount = (address: string) => {
    const index = transaction.keys.indexOf(address);
    return after.tokens.get(index) ?? before.tokens.get(index);
  };
  return outcome.err === null ? transfersOf({ transaction, mint, tokenAccount }) : [];
}

/** A bank whose only token is the cluster's USDC. */
export function createBank(options: BlockOptions) {
  const mint = USDC[options.cluster];
  const books: Books = { mint, svm: new Svm(), blocks: createBlocks(options), holders: new Set() };
  const { svm, blocks } = books;
  const byKey = new Map<string, Landed>();
  const bySignature = new Map<string, Landed>();
  const landed: Landed[] = [];
  const transfers: Transfer[] = [];
  svm.setAccount(usdcMint(mint, svm));
  return {
    ...books,
    cluster: options.cluster,
    /** In the order in which they landed. */
    landed,
    transfers,
    find: (signature: string) => bySignature.get(signature),
    simulate(transaction: WireTransaction, commitment: Commitment): Outcome {
      if (!blocks.isValid(transaction.blockhash, commitment)) return refusedOutcome('BlockhashNotFound');
      if (byKey.has(transaction.key)) return refusedOutcome('AlreadyProcessed');
      tick(books);
      return svm.simulate(transaction.wire);
    },
    /** Puts a transaction into a block; ignores one that no block would accept. */
    land(transaction: WireTransaction): Landed | undefined {
      if (byKey.has(transaction.key) || !blocks.isValid(transaction.blockhash, 'processed')) return undefined;
      const entry = execute(transaction, books);
      if (entry) {
        byKey.set(transaction.key, entry);
        bySignature.set(transaction.signature, entry);
        landed.push(entry);
        transfers.push(...movements(entry, mint));
      }
      return entry;
    },
  };
}

/** The account at an address, or an empty wallet. */
export function accountOrNew(address: string, svm: Svm): Account {
  if (!isAddress(address)) throw new TypeError(`not an address: ${address}`);
  const fresh = { address, lamports: 0n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };
  return svm.account(address) ?? fresh;
}
