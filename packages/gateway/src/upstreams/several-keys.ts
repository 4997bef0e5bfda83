import { Refusal } from '@asset-gateway/protocol';
import type { Budget, BudgetView } from '../budget/store.ts';
import type { Answer, UpstreamCall } from '../call.ts';
import { type KeyedUpstream, type Upstream, UpstreamRefusal } from './upstream.ts';

/** Until when one key of an upstream rests, in milliseconds of a clock that never steps. */
export interface KeyRest {
  /** Until then the upstream wants no call with it. */
  readonly pausedUntilMs: number;
  /** Until then it is not asked with, as the upstream has refused it. */
  readonly setAsideUntilMs: number;
}

/** The same, and how many slots of its budget are left. */
export interface KeyView extends KeyRest {
  readonly left: number;
}

const isPaused = ({ pausedUntilMs }: KeyRest, nowMs: number): boolean => pausedUntilMs > nowMs;

/** The keys that are not set aside; all of them where all are set aside. */
function accepted<Key extends KeyRest>(keys: readonly Key[], nowMs: number): readonly Key[] {
  const left = keys.filter(({ setAsideUntilMs }) => setAsideUntilMs <= nowMs);
  return left.length > 0 ? left : keys;
}

/**
 * The keys that a call may be made with, in the order in which they are to be tried: the one with most slots left first, the
 * paused ones last, and those that are set aside only where all of them are.
 */
export const fullestFirst = <Key extends KeyView>(keys: readonly Key[], nowMs: number): Key[] =>
  accepted(keys, nowMs).toSorted(
    (one, other) => Number(isPaused(one, nowMs)) - Number(isPaused(other, nowMs)) || other.left - one.left,
  );

/** The keys whose slots can be had now: of the same those that are not paused, unless all of these are. */
export function usableKeys<Key extends KeyRest>(keys: readonly Key[], nowMs: number): readonly Key[] {
  const known = accepted(keys, nowMs);
  const running = known.filter((key) => !isPaused(key, nowMs));
  return running.length > 0 ? running : known;
}

/** One key of an upstream: what it may spend, and the upstream as it is asked with it. */
export interface Key {
  readonly budget: Budget;
  readonly upstream: KeyedUpstream;
}

/** What the choice of a key stands on. */
export interface KeyOptions {
  /** For so long no call is made with a key that the upstream has refused, while there is another one. */
  readonly setAsideMs: number;
  /** Milliseconds of a clock that never steps. */
  readonly now: () => number;
  readonly view: (budget: Budget) => BudgetView;
  /** Told of each call that the upstream has refused the key of; the first one sets the key aside. */
  readonly onRefused: (place: number, isFirst: boolean) => void;
}

interface KeyState extends Key {
  pausedUntilMs: number;
  setAsideUntilMs: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Whether nothing was answered but that this key cannot be used now: another one may. */
function isOfTheKey(error: unknown): error is Refusal {
  if (error instanceof UpstreamRefusal) return error.code === 'upstream_auth_failed';
  return error instanceof Refusal && (error.code === 'rate_limited' || error.code === 'upstream_rate_limited');
}

const waitOf = ({ retryAfterSeconds = Number.POSITIVE_INFINITY }: Refusal): number => retryAfterSeconds;

/**
 * An upstream with several keys, each with a budget and a pause of its own. A call is made with the fullest one; where that one
 * has no slot, or is refused by the upstream, with the next. What no key can do is refused as the key does that can do it first.
 */
export class SeveralKeys implements Upstream {
  readonly #keys: readonly KeyState[];
  readonly #options: KeyOptions;

  constructor(keys: readonly Key[], options: KeyOptions) {
    this.#keys = keys.map((key) => ({ ...key, pausedUntilMs: NEVER, setAsideUntilMs: NEVER }));
    this.#options = options;
  }

  async answer(call: UpstreamCall): Promise<Answer> {
    const refusals: Refusal[] = [];
    for (const key of this.#inOrder()) {
      try {
        return await this.#ask(key, call);
      } catch (error) {
        if (!isOfTheKey(error)) throw error;
        refusals.push(error);
      }
    }
    throw refusals.reduce((soonest, each) => (waitOf(each) < waitOf(soonest) ? each : soonest));
  }

  /** Whether each key is set aside now. */
  setAside(): boolean[] {
    return this.#keys.map((key) => this.#isSetAside(key));
  }

  /** The budgets that a call may take its slot from now. */
  budgets(): Budget[] {
    return usableKeys(this.#keys, this.#options.now()).map(({ budget }) => budget);
  }

  #inOrder(): KeyState[] {
    const { now, view } = this.#options;
    const views = this.#keys.map((key) => ({ ...key, key, left: view(key.budget).left }));
    return fullestFirst(views, now()).map(({ key }) => key);
  }

  async #ask(key: KeyState, call: UpstreamCall): Promise<Answer> {
    const { setAsideUntilMs } = key;
    try {
      const answer = await key.upstream.answer({ ...call, spend: () => call.spend(key.budget) });
      if (key.setAsideUntilMs === setAsideUntilMs) key.setAsideUntilMs = NEVER;
      return answer;
    } catch (error) {
      if (error instanceof Refusal) this.#note(key, error);
      throw error;
    }
  }

  #note(key: KeyState, { code, retryAfterSeconds }: Refusal): void {
    const { now, setAsideMs, onRefused } = this.#options;
    if (code === 'upstream_rate_limited' && retryAfterSeconds !== undefined) {
      key.pausedUntilMs = now() + retryAfterSeconds * 1000;
    }
    if (code !== 'upstream_auth_failed') return;
    onRefused(this.#keys.indexOf(key), !this.#isSetAside(key));
    if (this.#keys.length > 1) key.setAsideUntilMs = now() + setAsideMs;
  }

  #isSetAside({ setAsideUntilMs }: KeyState): boolean {
    return setAsideUntilMs > this.#options.now();
  }
}
