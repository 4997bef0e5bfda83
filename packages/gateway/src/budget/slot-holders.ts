import type { Holdings, Share } from './shares.ts';

/** What one group holds. */
interface HeldByGroup {
  slots: number;
  readonly byWallet: Map<string, number>;
}

/** Who holds the slots of one budget, for as long as they are held: no more entries than slots. */
export class SlotHolders {
  readonly #shares = new Map<string, Share>();
  readonly #groups = new Map<string, HeldByGroup>();

  shareOf(owner: string): Share | undefined {
    return this.#shares.get(owner);
  }

  add(owner: string, share: Share): void {
    const group = this.#groups.get(share.group) ?? { slots: 0, byWallet: new Map<string, number>() };
    group.slots++;
    group.byWallet.set(share.wallet, (group.byWallet.get(share.wallet) ?? 0) + 1);
    this.#groups.set(share.group, group);
    this.#shares.set(owner, share);
  }

  /** The owner's slot is free. */
  remove(owner: string): void {
    const share = this.#shares.get(owner);
    const group = share && this.#groups.get(share.group);
    if (!share || !group) return;
    this.#shares.delete(owner);
    group.slots--;
    const left = (group.byWallet.get(share.wallet) ?? 0) - 1;
    if (left > 0) group.byWallet.set(share.wallet, left);
    else group.byWallet.delete(share.wallet);
    if (group.slots === 0) this.#groups.delete(share.group);
  }

  holdings({ group, wallet }: Share): Omit<Holdings, 'limit' | 'free'> {
    const held = this.#groups.get(group);
    return { groups: this.#groups.size, ofGroup: held?.slots ?? 0, ofWallet: held?.byWallet.get(wallet) ?? 0 };
  }

  /** Of several that wait for one call, the one whose group holds the fewest slots. */
  leastOf(shares: readonly Share[]): Share | undefined {
    const heldBy = ({ group }: Share) => this.#groups.get(group)?.slots ?? 0;
    return shares.reduce<Share | undefined>(
      (least, share) => (least && heldBy(least) <= heldBy(share) ? least : share),
      undefined,
    );
  }
}
