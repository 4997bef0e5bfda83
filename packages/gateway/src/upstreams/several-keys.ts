import { Refusal, type Route } from '@asset-gateway/protocol';
import type { Allowance, Budget, BudgetView, Share, SlotVerdict, Store } from '../budget/store.ts';
import type { Answer, Upstream, UpstreamCall } from '../call.ts';
import type { Breaker } from './breaker.ts';
import { type KeyedUpstream, UpstreamRefusal } from './upstream.ts';

/** A key's budget, and whether the key is set aside because the upstream rejected it. */
export interface KeyStatus extends Pick<BudgetView, 'left' | 'pauseMs'> {
  readonly isSetAside: boolean;
}

/**
 * Returns the keys in the order of preference: most free slots first, paused keys last. Keys that are set aside are left out unless all
 * are.
 */
export function fullestFirst<Key extends KeyStatus>(keys: readonly Key[]): Key[] {
  const accepted = keys.filter(({ isSetAside }) => !isSetAside);
  const known = accepted.length > 0 ? accepted : keys;
  return known.toSorted((a, b) => Number(a.pauseMs > 0) - Number(b.pauseMs > 0) || b.left - a.left);
}

/** Returns the keys that are not paused; all keys if every key is paused. */
export function usableKeys<Key extends KeyStatus>(keys: readonly Key[]): Key[] {
  const known = fullestFirst(keys);
  const running = known.filter(({ pauseMs }) => pauseMs <= 0);
  return running.length > 0 ? running : known;
}

/** One key of an upstream, with its budget. */
export interface UpstreamKey {
  readonly budget: Budget;
  readonly upstream: KeyedUpstream;
}

/** Options of the key choice. */
export interface KeyOptions {
  /** How long a rejected key is not used while another key is available, in milliseconds. */
  readonly setAsideMs: number;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
  readonly store: Pick<Store, 'view' | 'judge' | 'pause'>;
  /** Called each time when the upstream rejects a key. `isFirst`: the key was not set aside before. */
  readonly onRefused: (keyIndex: number, isFirst: boolean) => void;
  /** Called with the store's error if it could not store a pause. */
  readonly onFailure: (error: unknown) => void;
}

interface KeyState extends UpstreamKey {
  setAsideUntilMs: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Whether a failure concerns only this key, so that another key may succeed. */
function isOfTheKey(error: unknown): error is Refusal {
  if (error instanceof UpstreamRefusal) return error.code === 'upstream_auth_failed';
  return error instanceof Refusal && (error.code === 'rate_limited' || error.code === 'upstream_rate_limited');
}

const waitOf = ({ retryAfterSeconds = Number.POSITIVE_INFINITY }: Refusal): number => retryAfterSeconds;

/**
 * An upstream with several keys. Each has its own budget and pause. A call uses the key with the most free slots. If that key has no slot
 * or is rejected, the call uses the next key. If every key fails, the refusal with the shortest Retry-After is thrown.
 */
export class SeveralKeys implements Upstream, Allowance {
  readonly limit: number;
  readonly windowMs: number;
  readonly #keys: readonly KeyState[];
  readonly #options: KeyOptions;

  constructor(keys: readonly UpstreamKey[], options: KeyOptions) {
    this.#keys = keys.map((key) => ({ ...key, setAsideUntilMs: NEVER }));
    this.#options = options;
    this.limit = keys.reduce((sum, { budget }) => sum + budget.limit, 0);
    this.windowMs = Math.max(...keys.map(({ budget }) => budget.windowMs));
  }

  async answer(call: UpstreamCall): Promise<Answer> {
    const refusals: Refusal[] = [];
    const keys = this.#keys.length === 1 ? this.#keys : fullestFirst(this.#views()).map(({ key }) => key);
    for (const key of keys) {
      try {
        return await this.#ask(key, call);
      } catch (error) {
        if (!isOfTheKey(error)) throw error;
        refusals.push(error);
      }
    }
    throw refusals.reduce((soonest, each) => (waitOf(each) < waitOf(soonest) ? each : soonest));
  }

  /** Returns for each key whether it is set aside now. */
  setAside(): boolean[] {
    return this.#keys.map((key) => this.#isSetAside(key));
  }

  /** Returns the available keys as one budget: the sum of their free slots, when the next slot frees, and when the first pause ends. */
  view(): BudgetView {
    const [only, another] = this.#keys;
    if (only && !another) return this.#options.store.view(only.budget);
    const views = usableKeys(this.#views());
    const resets = views.map(({ resetMs }) => resetMs).filter((resetMs) => resetMs > 0);
    return {
      left: views.reduce((sum, { left }) => sum + left, 0),
      resetMs: resets.length > 0 ? Math.min(...resets) : 0,
      pauseMs: Math.min(...views.map(({ pauseMs }) => pauseMs)),
    };
  }

  /** Returns the refusal with the shortest wait; undefined if at least one budget does not refuse. */
  async judge(share: Share): Promise<SlotVerdict | undefined> {
    const { store } = this.#options;
    const judged = usableKeys(this.#views()).map(({ key }) => store.judge(key.budget, share).catch(() => undefined));
    const verdicts = await Promise.all(judged);
    const refused = verdicts.filter((verdict) => verdict !== undefined);
    const [first] = refused.sort((a, b) => (a.retryAfterMs ?? 0) - (b.retryAfterMs ?? 0));
    return refused.length < verdicts.length ? undefined : first;
  }

  #views() {
    const { store } = this.#options;
    return this.#keys.map((key) => ({ key, isSetAside: this.#isSetAside(key), ...store.view(key.budget) }));
  }

  async #ask(key: KeyState, call: UpstreamCall): Promise<Answer> {
    const { setAsideUntilMs } = key;
    try {
      const answer = await key.upstream.answer({ ...call, takeSlot: () => call.slots.take(key.budget) });
      if (key.setAsideUntilMs === setAsideUntilMs) key.setAsideUntilMs = NEVER;
      return answer;
    } catch (error) {
      if (error instanceof Refusal) await this.#note(key, error);
      throw error;
    }
  }

  /** Pauses a key on all nodes for as long as the upstream asks. Sets a rejected key aside. */
  async #note(key: KeyState, refusal: Refusal): Promise<void> {
    const { now, store, setAsideMs, onRefused, onFailure } = this.#options;
    const { code, retryAfterSeconds } = refusal;
    const isPause = refusal instanceof UpstreamRefusal && code === 'upstream_rate_limited';
    if (isPause && retryAfterSeconds !== undefined)
      await store.pause(key.budget, retryAfterSeconds * 1000).catch(onFailure);
    if (code !== 'upstream_auth_failed') return;
    onRefused(this.#keys.indexOf(key), !this.#isSetAside(key));
    if (this.#keys.length > 1) key.setAsideUntilMs = now() + setAsideMs;
  }

  #isSetAside({ setAsideUntilMs }: KeyState): boolean {
    return setAsideUntilMs > this.#options.now();
  }
}

/** One of several upstreams with the same routes. */
interface FailoverTarget {
  readonly upstream: Breaker;
  readonly keys: Allowance;
}

/** Whether the next upstream may be tried. This one must be down, and either the request has had no effect or it may be repeated. */
function isNextAllowed(error: Refusal, isRepeatable: boolean): boolean {
  // Here the circuit breaker has refused before any call.
  if (!(error instanceof UpstreamRefusal)) return error.code === 'upstream_unavailable';
  return error.ending === 'unsent' || (error.ending === 'down' && isRepeatable);
}

/**
 * Returns one upstream made of several with the same routes, which are tried in order until one answers. Each has its own keys, budget and
 * circuit breaker, and each call takes a slot of its own. If all are down, the refusal of the last call is thrown.
 */
export function failover(
  targets: readonly [FailoverTarget, ...FailoverTarget[]],
  isRepeatable: (route: Route) => boolean,
): Upstream & Allowance {
  /** Returns the keys of the first upstream whose circuit breaker is closed. */
  const current = () => (targets.find(({ upstream }) => !upstream.isOpen) ?? targets[0]).keys;
  return {
    async answer(call) {
      let refusal: Refusal | undefined;
      for (const { upstream } of targets) {
        try {
          return await upstream.answer(call);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          // Prefer the refusal of a call that was made to one without a call.
          if (!(refusal instanceof UpstreamRefusal) || error instanceof UpstreamRefusal) refusal = error;
          if (!isNextAllowed(error, isRepeatable(call.route))) throw refusal;
        }
      }
      throw refusal;
    },
    get limit() {
      return current().limit;
    },
    get windowMs() {
      return current().windowMs;
    },
    view: () => current().view(),
    judge: (share) => current().judge(share),
  };
}
