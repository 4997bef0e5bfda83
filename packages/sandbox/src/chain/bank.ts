import { type Cluster, isAddress, USDC, USDC_DECIMALS } from '@asset-gateway/protocol';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL } from './addresses.ts';
import { type BlockOptions, type Blocks, type Commitment, createBlocks } from './blocks.ts';
import { type Account, type Outcome, Svm } from './svm.ts';
import { mintData, readTokenAccount, type TokenAccount, type Transfer, transfersOf } from './token.ts';
import type { WireTransaction } from './transaction.ts';

/** The balances of a transaction's accounts, by key index. */
export interface Holdings {
  readonly lamports: readonly bigint[];
  readonly tokens: ReadonlyMap<number, TokenAccount>;
}

/** A transaction in a block, successful or not. */
export interface Landed {
  readonly transaction: WireTransaction;
  readonly slot: bigint;
  /** When it landed, in milliseconds on the chain's clock. */
  readonly at: number;
  readonly outcome: Outcome;
  readonly before: Holdings;
  readonly after: Holdings;
}

const USDC_SUPPLY = 11_413_027_864_531_297n;

const refusedOutcome = (err: string): Outcome => ({ err, logs: [], units: 0n, fee: 0n });

/** The chain's state: accounts, blocks and their transactions. The only token is the cluster's USDC. */
export class Bank {
  readonly cluster: Cluster;
  readonly mint: string;
  readonly blocks: Blocks;
  readonly svm = new Svm();
  /** Wallets that have had a token account. */
  readonly holders = new Set<string>();
  /** The transactions in the order in which they landed. */
  readonly landed: Landed[] = [];
  readonly transfers: Transfer[] = [];
  /** Landed transactions, by key and by signature. */
  readonly #known = new Map<string, Landed>();

  constructor(options: BlockOptions) {
    this.cluster = options.cluster;
    this.mint = USDC[options.cluster];
    this.blocks = createBlocks(options);
    this.#addMint(this.mint, mintData(USDC_SUPPLY, USDC_DECIMALS));
    this.#addMint(WRAPPED_SOL, mintData(0n, 9));
  }

  #addMint(address: string, data: Uint8Array): void {
    const lamports = this.svm.rent(data.length);
    this.svm.setAccount({ address, lamports, data, owner: TOKEN_PROGRAM, executable: false });
  }

  find(signature: string): Landed | undefined {
    return this.#known.get(signature);
  }

  /** Returns the account at an address. If it does not exist, an empty wallet. */
  accountOrNew(address: string): Account {
    if (!isAddress(address)) throw new TypeError(`not an address: ${address}`);
    const fresh = { address, lamports: 0n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };
    return this.svm.account(address) ?? fresh;
  }

  simulate(transaction: WireTransaction, commitment: Commitment): Outcome {
    if (!this.blocks.isValid(transaction.message.lifetimeToken, commitment)) return refusedOutcome('BlockhashNotFound');
    if (this.#known.has(transaction.key)) return refusedOutcome('AlreadyProcessed');
    this.#tick();
    return this.svm.simulate(transaction.wire);
  }

  /** Puts a transaction into a block. Ignores it if no block would accept it. */
  land(transaction: WireTransaction): void {
    const { key, signature, message } = transaction;
    if (this.#known.has(key) || !this.blocks.isValid(message.lifetimeToken, 'processed')) return;
    const { outcome, before, after } = this.#execute(transaction);
    // A failed transaction lands only if its fee payer could pay the fee.
    if (outcome.err !== null && after.lamports[0] === before.lamports[0]) return;
    const at = this.blocks.now();
    const entry = { transaction, slot: this.blocks.slot('processed'), at, outcome, before, after };
    this.#known.set(key, entry).set(signature, entry);
    this.landed.push(entry);
    if (outcome.err === null) this.transfers.push(...this.#transfersOf(entry));
  }

  #tick(): void {
    this.svm.setClock(this.blocks.slot('processed'), BigInt(Math.floor(this.blocks.now() / 1000)));
  }

  #execute({ message: { staticAccounts }, wire }: WireTransaction): Pick<Landed, 'outcome' | 'before' | 'after'> {
    this.blocks.advance(1n);
    this.#tick();
    const before = this.#holdingsOf(staticAccounts);
    const outcome = this.svm.execute(wire);
    const after = this.#holdingsOf(staticAccounts);
    for (const { owner } of after.tokens.values()) this.holders.add(owner);
    return { outcome, before, after };
  }

  #holdingsOf(keys: readonly string[]): Holdings {
    const accounts = keys.map((key) => this.svm.account(key));
    const tokens = accounts.map(readTokenAccount).flatMap((token, index) => (token ? [[index, token] as const] : []));
    return { lamports: accounts.map((account) => account?.lamports ?? 0n), tokens: new Map(tokens) };
  }

  #transfersOf({ transaction, before, after }: Landed): Transfer[] {
    const keys: readonly string[] = transaction.message.staticAccounts;
    return transfersOf(transaction, this.mint, (address) => {
      const index = keys.indexOf(address);
      return after.tokens.get(index) ?? before.tokens.get(index);
    });
  }
}
