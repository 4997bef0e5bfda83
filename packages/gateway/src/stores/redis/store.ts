import type { Clock } from '../clock.ts';
import type { Admit, Budget, BudgetView, NonceUse, NonceVerdict, Store, Verdict } from '../ports.ts';
import { BURN, EVICTION_POLICY } from './budget-scripts.ts';
import { BACKGROUND, type RedisConnection } from './connection.ts';
import { Epoch } from './epoch.ts';
import { Keyspace } from './keyspace.ts';
import { keyOfNonce, SharedBudget } from './shared-budget.ts';

/** How often the epoch is read although nobody asks, which also shows whether Redis answers. */
const BEAT_MS = 1_000;

interface Shared {
  readonly space: Keyspace;
  readonly epoch: Epoch;
  budget?: SharedBudget;
}

/**
 * Budgets and sign-ins that nodes share. Everything about one upstream key has one hash tag: its slots, its pause, and, where
 * sign-ins are burnt with its slots, their nonces and the epoch that both live and die with.
 */
export class RedisStore implements Store {
  readonly #connection: RedisConnection;
  readonly #clock: Clock | undefined;
  readonly #shared = new Map<string, Shared>();
  readonly #signIn: Shared;
  readonly #beat: NodeJS.Timeout;

  /** `signInKey` is the key of the budget that sign-ins are burnt with; `clock` is one for tests that turn it. */
  constructor(connection: RedisConnection, signInKey: string, clock?: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#signIn = this.#open(signInKey);
    connection.onConnect(() => void this.greet());
    this.#beat = setInterval(() => this.#tick(), BEAT_MS);
    this.#beat.unref();
  }

  now(): number {
    return this.#signIn.space.now();
  }

  ready(): boolean {
    return this.#connection.isConnected && this.#signIn.epoch.held !== undefined;
  }

  epoch(): string | undefined {
    return this.#signIn.epoch.held;
  }

  admit(attempt: Admit): Promise<Verdict> {
    return this.#of(attempt.budget).admit(attempt);
  }

  async burn(use: NonceUse, owner: string): Promise<NonceVerdict> {
    const { space } = this.#signIn;
    const step = { script: BURN, keys: [keyOfNonce(use)], args: [owner, use.epoch, use.issuedAtSeconds] };
    return (await space.insist(() => step)) as NonceVerdict;
  }

  complete(budget: Budget, owner: string): void {
    this.#of(budget)
      .complete(owner)
      .catch(() => undefined);
  }

  /** Never rejects: what Redis could not be told is told again until the pause is over. */
  async pause(budget: Budget, milliseconds: number): Promise<void> {
    await this.#of(budget)
      .pause(milliseconds)
      .catch(() => undefined);
  }

  view(budget: Budget): BudgetView {
    return this.#of(budget).view();
  }

  /** Reads every epoch, as on each new connection. Never rejects. */
  async greet(): Promise<void> {
    await Promise.allSettled([...this.#shared.values()].map(({ epoch }) => epoch.read(BACKGROUND)));
  }

  /** Whether the server drops keys when its memory is full, and with them promises. */
  async mayEvict(): Promise<boolean> {
    const policy = await this.#signIn.space.run({ script: EVICTION_POLICY });
    return policy !== 'noeviction' && policy !== 'unknown';
  }

  close(): void {
    clearInterval(this.#beat);
  }

  #open(key: string): Shared {
    const space = new Keyspace(this.#connection, key, this.#clock);
    const shared = { space, epoch: new Epoch(space) };
    this.#shared.set(key, shared);
    return shared;
  }

  #of(budget: Budget): SharedBudget {
    const shared = this.#shared.get(budget.key) ?? this.#open(budget.key);
    shared.budget ??= new SharedBudget(budget, shared.space, shared.epoch);
    return shared.budget;
  }

  #tick(): void {
    this.#signIn.epoch.read(BACKGROUND).catch(() => undefined);
    for (const { budget } of this.#shared.values()) budget?.spreadPause(BACKGROUND).catch(() => undefined);
  }
}
