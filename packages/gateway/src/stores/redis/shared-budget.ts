import { monotonicMs } from '../clock.ts';
import type { Admit, Budget, BudgetView, NonceUse, Verdict } from '../ports.ts';
import { SlidingLog } from '../sliding-log.ts';
import { ADMIT, COMPLETE, PAUSE } from './budget-scripts.ts';
import { type Patience, REQUEST, secondAfter } from './connection.ts';
import type { Epoch } from './epoch.ts';
import type { Keyspace } from './keyspace.ts';

/** The key of a nonce, inside its keyspace. */
export const keyOfNonce = ({ nonce }: NonceUse): string => `nonce:${nonce}`;

/** Until a question that is under way has been answered. */
const SOON_MS = 1_000;

/**
 * One budget that all nodes share. This node's own calls are counted here as well, by the machine's clock: whatever Redis has
 * lost or whatever time it thinks it is, no node passes the limit alone.
 */
export class SharedBudget {
  readonly #budget: Budget;
  readonly #space: Keyspace;
  readonly #epoch: Epoch;
  readonly #own: SlidingLog;
  /** Questions under way, each of which may become a call. */
  #asking = 0;
  #known: { readonly left: number; readonly freesAtMs: number } | undefined;

  constructor(budget: Budget, space: Keyspace, epoch: Epoch) {
    this.#budget = budget;
    this.#space = space;
    this.#epoch = epoch;
    this.#own = new SlidingLog(budget);
  }

  async admit(attempt: Admit): Promise<Verdict> {
    const waitHereMs = this.#waitHereMs();
    this.#asking += 1;
    try {
      const verdict = await this.#ask(attempt, waitHereMs);
      if (verdict.kind === 'admitted' && !this.#own.find(attempt.owner)) this.#own.take(attempt.owner, monotonicMs());
      return verdict;
    } finally {
      this.#asking -= 1;
    }
  }

  /** Tells Redis, once more when it does not listen; else the slot frees by itself, later. */
  async complete(owner: string): Promise<void> {
    this.#own.complete(owner, monotonicMs());
    const { key, windowMs, fromDispatch } = this.#budget;
    if (fromDispatch) return;
    const step = { script: COMPLETE, keys: [`slots:${key}`], args: [owner, windowMs] };
    await this.#space.insist(() => step);
  }

  /** This node pauses at once, the others when Redis can be told. */
  async pause(milliseconds: number): Promise<void> {
    this.#own.pause(monotonicMs() + milliseconds);
    await this.spreadPause(REQUEST);
  }

  /** Tells the others of a pause that is not over. */
  async spreadPause(patience: Patience): Promise<void> {
    const milliseconds = Math.ceil(this.#own.pauseMs(monotonicMs()));
    if (milliseconds <= 0) return;
    await this.#space.run({ script: PAUSE, keys: [`pause:${this.#budget.key}`], args: [milliseconds], patience });
  }

  view(): BudgetView {
    const now = monotonicMs();
    const own = this.#own.view(now);
    if (!this.#known || this.#known.freesAtMs <= now) return own;
    return { left: Math.min(own.left, this.#known.left), resetMs: this.#known.freesAtMs - now };
  }

  async #ask(attempt: Admit, waitHereMs: number): Promise<Verdict> {
    const held = this.#epoch.held ?? (await this.#epoch.read(REQUEST));
    const verdict = await this.#askUnder(held, attempt, waitHereMs);
    return verdict ?? (await this.#askUnder(await this.#epoch.read(REQUEST), attempt, waitHereMs)) ?? unsettled();
  }

  /** Nothing when the epoch is another one. */
  async #askUnder(epoch: string, attempt: Admit, waitHereMs: number): Promise<Verdict | undefined> {
    const { owner, room, nonce, waitedMs } = attempt;
    const { key, limit, windowMs, inFlightMs, lateMs = 0 } = this.#budget;
    const pauseHereMs = this.#own.pauseMs(monotonicMs());
    const reply = await this.#space.run({
      script: ADMIT,
      keys: [`slots:${key}`, `limits:${key}`, `pause:${key}`, ...(nonce ? [keyOfNonce(nonce)] : [])],
      args: [
        ...[epoch, owner, limit, windowMs, inFlightMs, lateMs, room ? 1 : 0, waitHereMs, pauseHereMs],
        ...(nonce ? [nonce.epoch, nonce.issuedAtSeconds] : ['', '']),
      ],
      patience: waitedMs === undefined ? REQUEST : secondAfter(waitedMs),
    });
    const [kind, retryAfterMs, left, freesMs] = reply as [Verdict['kind'] | 'other epoch', number, number, number];
    if (kind === 'other epoch') return undefined;
    if (left !== undefined) this.#known = { left, freesAtMs: monotonicMs() + freesMs };
    return retryAfterMs > 0 ? { kind, retryAfterMs } : { kind };
  }

  #waitHereMs(): number {
    const now = monotonicMs();
    const wait = this.#own.waitMs(now);
    return wait === 0 && this.#own.view(now).left <= this.#asking ? SOON_MS : wait;
  }
}

function unsettled(): never {
  throw new Error('the epoch has changed twice');
}
