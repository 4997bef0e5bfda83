import type { Room } from '../budget/store.ts';

/** What bounds a room beside its own limit. */
export interface RoomBounds {
  /** The larger room whose calls these are as well. */
  readonly within?: InFlight;
  /** How many of the calls may be of one wallet; all of them without it. */
  readonly ofWallet?: number;
}

/** The calls to one upstream that this node has in flight, by the owners of their slots. */
export class InFlight implements Room {
  readonly #limit: number;
  readonly #bounds: RoomBounds;
  /** Owners of slots, each with the wallet that it calls for. */
  readonly #owners = new Map<string, string | undefined>();
  readonly #ofWallets = new Map<string, number>();

  constructor(limit: number, bounds: RoomBounds = {}) {
    this.#limit = limit;
    this.#bounds = bounds;
  }

  get isFree(): boolean {
    return this.#owners.size < this.#limit && (this.#bounds.within?.isFree ?? true);
  }

  /** The room as it is for calls of this wallet. */
  of(wallet: string | undefined): Room {
    const isFree = () => this.isFree && this.#countOf(wallet) < (this.#bounds.ofWallet ?? this.#limit);
    const take = (owner: string) => this.take(owner, wallet);
    return {
      get isFree() {
        return isFree();
      },
      take,
    };
  }

  take(owner: string, wallet?: string): void {
    if (this.#owners.has(owner)) return;
    this.#owners.set(owner, wallet);
    if (wallet !== undefined) this.#ofWallets.set(wallet, this.#countOf(wallet) + 1);
    this.#bounds.within?.take(owner);
  }

  /** The call is over, or was never made. */
  leave(owner: string): void {
    const wallet = this.#owners.get(owner);
    if (!this.#owners.delete(owner)) return;
    this.#bounds.within?.leave(owner);
    const left = this.#countOf(wallet) - 1;
    if (wallet === undefined) return;
    if (left > 0) this.#ofWallets.set(wallet, left);
    else this.#ofWallets.delete(wallet);
  }

  #countOf(wallet: string | undefined): number {
    return wallet === undefined ? 0 : (this.#ofWallets.get(wallet) ?? 0);
  }
}
