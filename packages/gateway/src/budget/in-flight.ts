import { Counts } from '../tallies.ts';
import type { InFlightLimit } from './store.ts';

/**
 * Counts this node's calls in flight to one upstream, by slot owner. At most `limit` calls run at once, and at most `ofWallet` of one
 * wallet.
 */
export class InFlight implements InFlightLimit {
  readonly #limit: number;
  /** A larger room that counts these calls too. */
  readonly #within: InFlight | undefined;
  readonly #ofWallet: number;
  /** The owners of the slots, with their wallets. */
  readonly #owners = new Map<string, string | undefined>();
  readonly #ofWallets = new Counts();

  constructor(limit: number, { within, ofWallet = limit }: { within?: InFlight; ofWallet?: number } = {}) {
    this.#limit = limit;
    this.#within = within;
    this.#ofWallet = ofWallet;
  }

  isFreeFor(wallet?: string): boolean {
    if (this.#owners.size >= this.#limit || this.#within?.isFreeFor() === false) return false;
    return wallet === undefined || this.#ofWallets.of(wallet) < this.#ofWallet;
  }

  enter(owner: string, wallet?: string): void {
    if (this.#owners.has(owner)) return;
    this.#owners.set(owner, wallet);
    if (wallet !== undefined) this.#ofWallets.add(wallet, 1);
    this.#within?.enter(owner);
  }

  leave(owner: string): void {
    const wallet = this.#owners.get(owner);
    if (!this.#owners.delete(owner)) return;
    this.#within?.leave(owner);
    if (wallet !== undefined) this.#ofWallets.add(wallet, -1);
  }
}
