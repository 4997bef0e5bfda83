import { Counts } from '../tallies.ts';
import type { InFlightLimit } from './store.ts';

/** This node's calls in flight to one upstream, by slot owner; at most `limit`, and `ofWallet` of one wallet. */
export class InFlight implements InFlightLimit {
  readonly #limit: number;
  /** The larger room that also counts these calls. */
  readonly #within: InFlight | undefined;
  readonly #ofWallet: number;
  /** Slot owners and their wallets. */
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
