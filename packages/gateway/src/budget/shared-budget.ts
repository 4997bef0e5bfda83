import { monotonicMs } from '../stores/clock.ts';
import { REQUEST_TIMEOUT, type ReplyTimeout, retryTimeout } from '../stores/redis/connection.ts';
import type { Keyspace } from '../stores/redis/keyspace.ts';
import { ADMIT, COMPLETE, GIVE_BACK, PAUSE } from './redis-scripts.ts';
import { SlidingLog } from './sliding-log.ts';
import type { Admit, Budget, BudgetView, NonceUse, Room, Share, Verdict } from './store.ts';

/** The key of a nonce, inside its keyspace. */
export const keyOfNonce = ({ nonce }: NonceUse): string => `nonce:${nonce}`;

/** Without an owner the script takes no slot. */
const NO_OWNER = '';
const ROOM: Room = { isFreeFor: () => true, take: () => undefined };

/** The keys of a budget's charges. */
const chargeKeys = (key: string): string[] => [`holders:${key}`, `counts:${key}`];

/** A share in the format of the scripts. */
const textOfShare = ({ group, wallet }: Share): string => `${group} ${wallet}`;

function shareIn(text: string): Share {
  const blank = text.indexOf(' ');
  return { group: text.slice(0, blank), wallet: text.slice(blank + 1) };
}

type AdmitReply = [
  kind: Verdict['kind'] | 'other epoch',
  retryAfterMs: number,
  left?: number,
  freesMs?: number,
  scope?: Verdict['scope'] | '',
  charged?: string,
];

/**
 * One budget that all nodes share. This node also counts its own calls by the machine's clock, so that no node exceeds the limit alone,
 * whatever Redis has lost and whatever its clock is.
 */
export class SharedBudget {
  readonly #budget: Budget;
  readonly #space: Keyspace;
  readonly #own: SlidingLog;
  #known: { readonly left: number; readonly freesAtMs: number } | undefined;
  /** The end of a pause that Redis has reported. This node does not send it back, because that would extend it each time. */
  #pausedUntilMs = 0;

  constructor(budget: Budget, space: Keyspace) {
    this.#budget = budget;
    this.#space = space;
    this.#own = new SlidingLog(budget);
  }

  /**
   * Redis judges first, then this node judges its own calls. If Redis admits a call that this node may not make (Redis has lost data or
   * its time, or another call has taken the last room), the slot is returned before the call is refused.
   */
  async admit(attempt: Admit): Promise<Verdict> {
    const askedAtMs = monotonicMs();
    const verdict = await this.#ask(attempt);
    if (verdict.kind !== 'admitted') return verdict;
    const refusal = this.#takeHere(attempt);
    if (!refusal) return verdict;
    const { waitedMs = 0 } = attempt;
    const isBack = await this.#giveBack(attempt, retryTimeout(waitedMs + monotonicMs() - askedAtMs));
    return isBack ? refusal : { kind: 'not_given_back' };
  }

  /** Asks Redis only if half of the slots are taken: until then every share has a slot. */
  async judge(share: Share): Promise<Verdict | undefined> {
    const { limit } = this.#budget;
    if (this.view().left > limit / 2) return undefined;
    const verdict = await this.#ask({ budget: this.#budget, owner: NO_OWNER, room: ROOM, share });
    return verdict.kind === 'limited' ? verdict : undefined;
  }

  /** Tells Redis, with one retry. Without it the slot frees by itself, later. */
  async complete(owner: string): Promise<void> {
    this.#own.complete(owner, monotonicMs());
    const { key, windowMs, fromDispatch } = this.#budget;
    if (fromDispatch) return;
    await this.#space.runWithRetry({ script: COMPLETE, keys: [`slots:${key}`], args: [owner, windowMs] });
  }

  /** This node pauses at once; the others pause when Redis has stored the pause. */
  async pause(milliseconds: number): Promise<void> {
    this.#own.pause(monotonicMs() + milliseconds);
    await this.spreadPause(REQUEST_TIMEOUT);
  }

  /** Tells other nodes about a present pause. */
  async spreadPause(timeout: ReplyTimeout): Promise<void> {
    const milliseconds = Math.ceil(this.#own.pauseMs(monotonicMs()));
    if (milliseconds <= 0) return;
    await this.#space.run({ script: PAUSE, keys: [`pause:${this.#budget.key}`], args: [milliseconds], timeout });
  }

  view(): BudgetView {
    const now = monotonicMs();
    const here = this.#own.view(now);
    const own = { ...here, pauseMs: Math.max(here.pauseMs, this.#pausedUntilMs - now) };
    if (!this.#known || this.#known.freesAtMs <= now) return own;
    return { ...own, left: Math.min(own.left, this.#known.left), resetMs: this.#known.freesAtMs - now };
  }

  async #ask(attempt: Admit): Promise<Verdict> {
    const held = this.#space.epoch ?? (await this.#space.readEpoch(REQUEST_TIMEOUT));
    const verdict = await this.#askUnder(held, attempt);
    return verdict ?? (await this.#askUnder(await this.#space.readEpoch(REQUEST_TIMEOUT), attempt)) ?? unsettled();
  }

  /** Undefined if Redis has another epoch. */
  async #askUnder(epoch: string, attempt: Admit): Promise<Verdict | undefined> {
    const { owner, room, wallet, nonce, share = [], waitedMs } = attempt;
    const { key, limit, windowMs, inFlightMs, lateMs = 0 } = this.#budget;
    const now = monotonicMs();
    const [waitHereMs, pauseHereMs] = [this.#own.waitMs(now), this.#own.pauseMs(now)];
    const reply = await this.#space.run({
      script: ADMIT,
      keys: [
        `slots:${key}`,
        `limits:${key}`,
        `pause:${key}`,
        ...chargeKeys(key),
        ...(nonce ? [keyOfNonce(nonce)] : []),
      ],
      args: [
        ...[epoch, owner, limit, windowMs, inFlightMs, lateMs, room.isFreeFor(wallet) ? 1 : 0, waitHereMs, pauseHereMs],
        ...(nonce ? [nonce.epoch, nonce.issuedAtSeconds] : ['', '']),
        ...[share].flat().map(textOfShare),
      ],
      timeout: waitedMs === undefined ? REQUEST_TIMEOUT : retryTimeout(waitedMs),
    });
    const [kind, retryAfterMs, left, freesMs, scope, charged] = reply as AdmitReply;
    if (kind === 'other epoch') return undefined;
    if (left !== undefined && freesMs !== undefined) this.#known = { left, freesAtMs: monotonicMs() + freesMs };
    if (kind === 'paused') this.#pausedUntilMs = monotonicMs() + retryAfterMs;
    return {
      kind,
      ...(retryAfterMs > 0 && { retryAfterMs }),
      ...(scope && { scope }),
      ...(charged && { charged: shareIn(charged) }),
    };
  }

  /** Takes a slot and room on this node, or answers why it cannot. */
  #takeHere({ owner, room, wallet }: Admit): Verdict | undefined {
    const now = monotonicMs();
    if (this.#own.find(owner)) return undefined;
    const [pauseMs, waitMs] = [this.#own.pauseMs(now), this.#own.waitMs(now)];
    if (pauseMs > 0) return { kind: 'paused', retryAfterMs: pauseMs };
    if (!room.isFreeFor(wallet)) return { kind: 'crowded' };
    if (waitMs > 0) return { kind: 'limited', retryAfterMs: waitMs };
    this.#own.take(owner, now);
    room.take(owner, wallet);
    return undefined;
  }

  /** Answers whether slot and nonce were returned. */
  #giveBack({ owner, nonce }: Admit, timeout: ReplyTimeout): Promise<boolean> {
    const { key } = this.#budget;
    const keys = [`slots:${key}`, ...chargeKeys(key), ...(nonce ? [keyOfNonce(nonce)] : [])];
    return this.#space.run({ script: GIVE_BACK, keys, args: [owner], timeout }).then(
      () => true,
      () => false,
    );
  }
}

function unsettled(): never {
  throw new Error('the epoch has changed twice');
}
