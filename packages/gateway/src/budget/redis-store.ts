import { Background, type Repeated } from '../background.ts';
import { type Clock, monotonicMs } from '../stores/clock.ts';
import {
  BACKGROUND_TIMEOUT,
  REQUEST_TIMEOUT,
  type RedisConnection,
  type ReplyTimeout,
  retryTimeout,
} from '../stores/redis/connection.ts';
import { Keyspace } from '../stores/redis/keyspace.ts';
import { SlidingLog } from './sliding-log.ts';
import { ADMIT, COMPLETE, PAUSE, RELEASE_SLOT, USE_NONCE } from './slot-scripts.ts';
import {
  type Budget,
  type BudgetView,
  type InFlightLimit,
  type NonceUse,
  type NonceVerdict,
  type Share,
  type SlotAttempt,
  type SlotVerdict,
  type Store,
  shareNameOf,
} from './store.ts';

/** How often the epoch is read in the background, in milliseconds. The read also shows whether Redis answers. */
const BEAT_MS = 1_000;

const TAG = 'budgets';

/** Returns the key of a nonce, inside its keyspace. */
const keyOfNonce = ({ nonce }: NonceUse): string => `nonce:${nonce}`;

/** Returns the keys of a slot's charges, and of its nonce if there is one. */
const chargeKeysOf = ({ budget: { key }, nonce }: SlotAttempt): string[] => [
  ...[`holders:${key}`, `counts:${key}`],
  ...(nonce ? [keyOfNonce(nonce)] : []),
];

/** The owner with which the script takes no slot. */
const NO_OWNER = '';
const UNLIMITED: InFlightLimit = { isFreeFor: () => true, enter: () => undefined, leave: () => undefined };

function shareIn(name: string): Share {
  const blank = name.indexOf(' ');
  return { group: name.slice(0, blank), wallet: name.slice(blank + 1) };
}

type AdmitReply = [
  SlotVerdict['kind'] | 'other epoch',
  number,
  number?,
  number?,
  (SlotVerdict['scope'] | '')?,
  string?,
];

/** A budget as this node knows it. */
interface KnownBudget {
  readonly budget: Budget;
  /**
   * This node's own calls, by the machine's clock. With it this node alone never exceeds the limit, even if Redis has lost data or has a
   * wrong clock.
   */
  readonly own: SlidingLog;
  /** What Redis reported last. */
  shared?: { readonly left: number; readonly freesAtMs: number };
  /** The end of a pause that Redis has reported. This node does not report it back, because each report would make the pause longer. */
  pausedUntilMs: number;
}

/**
 * Stores what nodes share: the slots and the pause of each upstream key, the used nonces, and their epoch. All keys have one hash tag,
 * which does not contain the upstream's key. So a sign-in stays valid when the upstream's key changes.
 */
export class RedisStore implements Store {
  readonly #connection: RedisConnection;
  readonly #space: Keyspace;
  readonly #budgets = new Map<string, KnownBudget>();
  readonly #background: Background;
  readonly #beat: Repeated;

  /** `clock`: a clock in place of Redis's own, for tests. */
  constructor(connection: RedisConnection, clock?: Clock, background = new Background()) {
    this.#connection = connection;
    this.#space = new Keyspace(connection, TAG, clock);
    this.#background = background;
    this.#beat = background.every('redis', BEAT_MS, () => this.#tick());
    connection.onConnect(() => void this.readEpoch());
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

  /**
   * Lets Redis judge first, and then judges by this node's own calls. Redis may admit a call that this node may not make, because Redis has
   * lost data or its time, or because another call has taken the last room. Then the slot is given back before the call is refused.
   */
  async admit(attempt: SlotAttempt): Promise<SlotVerdict> {
    const askedAtMs = monotonicMs();
    const known = this.#of(attempt.budget);
    const verdict = await this.#ask(known, attempt);
    if (verdict.kind !== 'admitted') return verdict;
    const refusal = takeHere(known, attempt);
    if (!refusal) return verdict;
    const { waitedMs = 0 } = attempt;
    const isReleased = await this.#releaseSlot(attempt, retryTimeout(waitedMs + monotonicMs() - askedAtMs));
    return isReleased ? refusal : { kind: 'not_given_back' };
  }

  /**
   * Asks Redis for the verdict on a share, without taking a slot. While more than half of the slots are free, every share gets one, so
   * Redis is not asked.
   */
  async judge(budget: Budget, share: Share): Promise<SlotVerdict | undefined> {
    if (this.view(budget).left > budget.limit / 2) return undefined;
    const verdict = await this.#ask(this.#of(budget), { budget, owner: NO_OWNER, inFlightLimit: UNLIMITED, share });
    return verdict.kind === 'limited' ? verdict : undefined;
  }

  async useNonce(use: NonceUse, owner: string): Promise<NonceVerdict> {
    const call = { script: USE_NONCE, keys: [keyOfNonce(use)], args: [owner, use.epoch, use.issuedAtSeconds] };
    return (await this.#space.runWithRetry(call)) as NonceVerdict;
  }

  /** Stores the end of a call in Redis, with one retry. If both attempts fail, the slot stays held until it expires. */
  complete(budget: Budget, owner: string): void {
    this.#of(budget).own.complete(owner, monotonicMs());
    const { key, windowMs, fromDispatch } = budget;
    if (fromDispatch) return;
    const call = { script: COMPLETE, keys: [`slots:${key}`], args: [owner, windowMs] };
    void this.#background.run('redis', () => this.#space.runWithRetry(call));
  }

  /** Pauses this node at once, and the others once Redis has stored the pause. Never rejects. */
  async pause(budget: Budget, milliseconds: number): Promise<void> {
    const known = this.#of(budget);
    known.own.pause(monotonicMs() + milliseconds);
    await this.#spreadPause(known, REQUEST_TIMEOUT);
  }

  view(budget: Budget): BudgetView {
    const { own, shared, pausedUntilMs } = this.#of(budget);
    const now = monotonicMs();
    const here = own.view(now);
    const view = { ...here, pauseMs: Math.max(here.pauseMs, pausedUntilMs - now) };
    if (!shared || shared.freesAtMs <= now) return view;
    return { ...view, left: Math.min(view.left, shared.left), resetMs: shared.freesAtMs - now };
  }

  /** Reads the epoch. Does nothing without a connection, because the connection reports its own loss. Never rejects. */
  async readEpoch(): Promise<void> {
    if (!this.#connection.isConnected) return;
    await this.#background.run('redis', () => this.#space.readEpoch(BACKGROUND_TIMEOUT));
  }

  /** Whether the server evicts keys when its memory is full. */
  mayEvict(): Promise<boolean> {
    return this.#space.mayEvict();
  }

  close(): Promise<void> {
    return this.#beat.close();
  }

  #of(budget: Budget): KnownBudget {
    const known = this.#budgets.get(budget.key) ?? { budget, own: new SlidingLog(budget), pausedUntilMs: 0 };
    this.#budgets.set(budget.key, known);
    return known;
  }

  async #tick(): Promise<void> {
    const pauses = Array.from(this.#budgets.values(), (known) => this.#spreadPause(known, BACKGROUND_TIMEOUT));
    await Promise.all([this.readEpoch(), ...pauses]);
  }

  /** Stores a present pause in Redis for the other nodes. Never rejects, because the pause is sent again until it is over. */
  async #spreadPause({ budget, own }: KnownBudget, timeout: ReplyTimeout): Promise<void> {
    const milliseconds = Math.ceil(own.pauseMs(monotonicMs()));
    if (milliseconds <= 0) return;
    const call = { script: PAUSE, keys: [`pause:${budget.key}`], args: [milliseconds], timeout };
    await this.#background.run('redis', () => this.#space.run(call));
  }

  async #ask(known: KnownBudget, attempt: SlotAttempt): Promise<SlotVerdict> {
    const held = this.#space.epoch ?? (await this.#space.readEpoch(REQUEST_TIMEOUT));
    const first = await this.#askUnder(held, known, attempt);
    const verdict = first ?? (await this.#askUnder(await this.#space.readEpoch(REQUEST_TIMEOUT), known, attempt));
    if (!verdict) throw new Error('the epoch has changed twice');
    return verdict;
  }

  /** Runs the script under an epoch. Returns the verdict; undefined if Redis has another epoch. */
  async #askUnder(epoch: string, known: KnownBudget, attempt: SlotAttempt): Promise<SlotVerdict | undefined> {
    const { owner, inFlightLimit, wallet, nonce, share = [], waitedMs } = attempt;
    const { key, limit, windowMs, inFlightMs, lateMs = 0 } = known.budget;
    const now = monotonicMs();
    const reply = await this.#space.run({
      script: ADMIT,
      keys: [`slots:${key}`, `limits:${key}`, `pause:${key}`, ...chargeKeysOf(attempt)],
      args: [
        JSON.stringify({
          epoch,
          owner,
          limit,
          nonce,
          holdMs: windowMs + inFlightMs + lateMs,
          hasRoom: inFlightLimit.isFreeFor(wallet),
          waitHereMs: known.own.waitMs(now),
          pauseHereMs: known.own.pauseMs(now),
          shares: [share].flat().map(shareNameOf),
        }),
      ],
      timeout: waitedMs === undefined ? REQUEST_TIMEOUT : retryTimeout(waitedMs),
    });
    const [kind, retryAfterMs, left, freesMs, scope, charged] = reply as AdmitReply;
    if (kind === 'other epoch') return undefined;
    if (left !== undefined && freesMs !== undefined) known.shared = { left, freesAtMs: monotonicMs() + freesMs };
    if (kind === 'paused') known.pausedUntilMs = monotonicMs() + retryAfterMs;
    return {
      kind,
      ...(retryAfterMs > 0 && { retryAfterMs }),
      ...(scope && { scope }),
      ...(charged && { charged: shareIn(charged) }),
    };
  }

  /** Gives back the slot and the nonce. Returns whether Redis has done it. */
  #releaseSlot(attempt: SlotAttempt, timeout: ReplyTimeout): Promise<boolean> {
    const keys = [`slots:${attempt.budget.key}`, ...chargeKeysOf(attempt)];
    return this.#space.run({ script: RELEASE_SLOT, keys, args: [attempt.owner], timeout }).then(
      () => true,
      () => false,
    );
  }
}

/** Takes a slot and room on this node. Returns why it cannot; undefined if it has. */
function takeHere({ own }: KnownBudget, attempt: SlotAttempt): SlotVerdict | undefined {
  const { owner, inFlightLimit, wallet } = attempt;
  const now = monotonicMs();
  if (own.holds(owner)) return undefined;
  const refusal = own.refusal(attempt, undefined, now);
  if (refusal) return refusal;
  own.take(owner, now);
  inFlightLimit.enter(owner, wallet);
  return undefined;
}
