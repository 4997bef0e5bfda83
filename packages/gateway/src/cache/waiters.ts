import type { Share } from '../budget/store.ts';
import type { Spend } from '../call.ts';
import type { Ask, CacheKey } from './known-key.ts';
import type { Kept } from './stored.ts';

/** A key that a request waits for, and what is kept of it. */
export interface Wanted extends Pick<Ask, 'ageSeconds' | 'refusesCached'> {
  readonly key: CacheKey;
  /** What was fetched before will not do; absent where anything will that may be served. */
  readonly notBeforeMs?: number | undefined;
}

/** The request that asks. */
export interface Asker {
  readonly wallet: string | undefined;
  /** Takes the slot of a call, and burns the asker's own sign-in with it. */
  readonly spend: Spend;
}

/** One request that waits until calls have answered all the keys that it wants. */
export class Waiter {
  readonly asker: Asker;
  /** Whom its calls are charged to; absent where slots are not shared out. */
  readonly share: Share | undefined;
  readonly weight: number;
  /** What it has been given, by id. */
  readonly given = new Map<string, Kept>();
  /** Another request's call answered at least a part. */
  isCollapsed = false;
  /** It has waited long enough, but for a call that is out. */
  isLate = false;
  /** A call of its own is out, for one that served others too was rejected. */
  isRetried = false;
  readonly done: Promise<void>;
  readonly #wanted: Map<string, Wanted>;
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(wanted: readonly Wanted[], asker: Asker, share?: Share) {
    this.asker = asker;
    this.share = share;
    this.weight = 1 / wanted.length;
    this.#wanted = new Map(wanted.map((each) => [each.key.id, each]));
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** What it still waits for. */
  wanted(): readonly Wanted[] {
    return [...this.#wanted.values()];
  }

  /** Whether it waits for this key, or has waited for it. */
  asksFor(id: string): boolean {
    return this.#wanted.has(id) || this.given.has(id);
  }

  give(kept: Kept, isCollapsed: boolean): void {
    if (!this.#wanted.delete(kept.key.id)) return;
    this.given.set(kept.key.id, kept);
    this.isCollapsed ||= isCollapsed;
    if (this.#wanted.size === 0) this.#resolve();
  }

  refuse(error: unknown): void {
    this.#reject(error);
  }
}

/** How long a request that misses waits for its calls to go out. */
export const WAIT_MS = 2_000;
/** At most this many requests wait at once, and this many of one group or one wallet. */
const [MAX_WAITING, MAX_OF_SHARE] = [256, 64];

const sharesOf = ({ share }: Waiter): string[] => (share ? [`group ${share.group}`, `wallet ${share.wallet}`] : []);

/** The requests that wait, by the keys that they wait for. */
export class Waiters {
  readonly #byKey = new Map<string, Set<Waiter>>();
  readonly #timers = new Map<Waiter, NodeJS.Timeout>();
  readonly #nonces = new Set<string>();
  /** How many wait of each group and each wallet. */
  readonly #byShare = new Map<string, number>();

  get count(): number {
    return this.#timers.size;
  }

  has(waiter: Waiter): boolean {
    return this.#timers.has(waiter);
  }

  /** Whether a request with the same sign-in waits already. */
  hasNonce(nonce: string | undefined): boolean {
    return nonce !== undefined && this.#nonces.has(nonce);
  }

  hasRoomFor(waiter: Waiter): boolean {
    return this.count < MAX_WAITING && sharesOf(waiter).every((name) => (this.#byShare.get(name) ?? 0) < MAX_OF_SHARE);
  }

  /** Those who wait for any of these keys, each once. */
  of(ids: readonly string[]): Waiter[] {
    return [...new Set(ids.flatMap((id) => [...(this.#byKey.get(id) ?? [])]))];
  }

  /** What was fetched before will not do for one of those who wait for this key. */
  notBeforeMs(id: string): number {
    const wanted = this.of([id]).flatMap((waiter) => waiter.wanted().filter(({ key }) => key.id === id));
    return Math.max(...wanted.map(({ notBeforeMs = Number.NEGATIVE_INFINITY }) => notBeforeMs));
  }

  all(): Waiter[] {
    return [...this.#timers.keys()];
  }

  enter(waiter: Waiter, waitMs: number, giveUp: () => void): void {
    for (const { key } of waiter.wanted()) {
      const waiters = this.#byKey.get(key.id) ?? new Set();
      this.#byKey.set(key.id, waiters.add(waiter));
    }
    this.#timers.set(waiter, setTimeout(giveUp, waitMs).unref());
    if (waiter.asker.spend.nonce !== undefined) this.#nonces.add(waiter.asker.spend.nonce);
    for (const name of sharesOf(waiter)) this.#byShare.set(name, (this.#byShare.get(name) ?? 0) + 1);
  }

  /** Gives what a call has answered to whoever waits for it. */
  give(kept: Kept, leader: Waiter | undefined): void {
    for (const waiter of this.#byKey.get(kept.key.id) ?? []) {
      waiter.give(kept, waiter !== leader);
      if (waiter.wanted().length === 0) this.#forget(waiter);
    }
    this.#byKey.delete(kept.key.id);
  }

  /** Refuses one; whether it was still there. */
  refuse(waiter: Waiter, error: unknown): boolean {
    if (!this.#timers.has(waiter)) return false;
    for (const { key } of waiter.wanted()) this.#leave(key.id, waiter);
    this.#forget(waiter);
    waiter.refuse(error);
    return true;
  }

  #leave(id: string, waiter: Waiter): void {
    const waiters = this.#byKey.get(id);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#byKey.delete(id);
  }

  #forget(waiter: Waiter): void {
    clearTimeout(this.#timers.get(waiter));
    this.#timers.delete(waiter);
    if (waiter.asker.spend.nonce !== undefined) this.#nonces.delete(waiter.asker.spend.nonce);
    for (const name of sharesOf(waiter)) {
      const left = (this.#byShare.get(name) ?? 0) - 1;
      if (left > 0) this.#byShare.set(name, left);
      else this.#byShare.delete(name);
    }
  }
}
