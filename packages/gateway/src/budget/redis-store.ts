import type { Clock } from '../stores/clock.ts';
import { BACKGROUND_TIMEOUT, type RedisConnection } from '../stores/redis/connection.ts';
import { Keyspace } from '../stores/redis/keyspace.ts';
import { BURN } from './redis-scripts.ts';
import { keyOfNonce, SharedBudget } from './shared-budget.ts';
import type { Admit, Budget, BudgetView, NonceUse, NonceVerdict, Share, Store, Verdict } from './store.ts';

/** How often the epoch is read in the background, which also shows whether Redis answers. */
const BEAT_MS = 1_000;

const TAG = 'budgets';

/**
 * Budgets and sign-ins that nodes share: the slots and the pause of each upstream key, the used nonces, and the epoch of all of them.
 * They have one hash tag, so that a sign-in outlives a change of the upstream's key.
 */
export class RedisStore implements Store {
  readonly #connection: RedisConnection;
  readonly #space: Keyspace;
  readonly #budgets = new Map<string, SharedBudget>();
  readonly #beat: NodeJS.Timeout;

  /** `clock`: replaces Redis's clock, for tests. */
  constructor(connection: RedisConnection, clock?: Clock) {
    this.#connection = connection;
    this.#space = new Keyspace(connection, TAG, clock);
    connection.onConnect(() => void this.readEpoch());
    this.#beat = setInterval(() => this.#tick(), BEAT_MS);
    this.#beat.unref();
  }

  now(): number {
    return this.#space.now();
  }

  wallNow(): number {
    return this.#space.wallNow();
  }

  ready(): boolean {
    return this.#connection.isConnected && this.#space.epoch !== undefined;
  }

  epoch(): string | undefined {
    return this.#space.epoch;
  }

  admit(attempt: Admit): Promise<Verdict> {
    return this.#of(attempt.budget).admit(attempt);
  }

  judge(budget: Budget, share: Share): Promise<Verdict | undefined> {
    return this.#of(budget).judge(share);
  }

  async burn(use: NonceUse, owner: string): Promise<NonceVerdict> {
    const step = { script: BURN, keys: [keyOfNonce(use)], args: [owner, use.epoch, use.issuedAtSeconds] };
    return (await this.#space.runWithRetry(step)) as NonceVerdict;
  }

  complete(budget: Budget, owner: string): void {
    this.#of(budget)
      .complete(owner)
      .catch(() => undefined);
  }

  /** Never rejects. A pause that Redis did not get is sent again until it is over. */
  async pause(budget: Budget, milliseconds: number): Promise<void> {
    await this.#of(budget)
      .pause(milliseconds)
      .catch(() => undefined);
  }

  view(budget: Budget): BudgetView {
    return this.#of(budget).view();
  }

  /** Reads the epoch. Never rejects. */
  async readEpoch(): Promise<void> {
    await this.#space.readEpoch(BACKGROUND_TIMEOUT).catch(() => undefined);
  }

  /** Whether the server evicts keys when its memory is full. */
  mayEvict(): Promise<boolean> {
    return this.#space.mayEvict();
  }

  close(): void {
    clearInterval(this.#beat);
  }

  #of(budget: Budget): SharedBudget {
    const known = this.#budgets.get(budget.key);
    if (known) return known;
    const shared = new SharedBudget(budget, this.#space);
    this.#budgets.set(budget.key, shared);
    return shared;
  }

  #tick(): void {
    void this.readEpoch();
    for (const budget of this.#budgets.values()) budget.spreadPause(BACKGROUND_TIMEOUT).catch(() => undefined);
  }
}
