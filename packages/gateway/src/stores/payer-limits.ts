import { PAYMENTS } from './payments.ts';

interface UnsettledCall {
  readonly key: string;
  readonly atMs: number;
}

/** What each payer may still do: payments at once, and upstream calls that no settlement has followed. */
export class PayerLimits {
  readonly #inFlight = new Map<string, Set<string>>();
  readonly #calls = new Map<string, UnsettledCall[]>();
  /** Calls of each payment, kept for as long as one is good. */
  readonly #callsOf = new Map<string, { readonly count: number; readonly atMs: number }>();

  verdict(payer: string, key: string, nowMs: number): 'reserved' | 'payer_busy' | 'exhausted' {
    if (this.calls(key) >= PAYMENTS.callsPerPayment) return 'exhausted';
    if ((this.#inFlight.get(payer)?.size ?? 0) >= PAYMENTS.inFlightPerPayer) return 'payer_busy';
    const recent = this.#recent(payer, nowMs).length;
    return recent >= PAYMENTS.unsettledCallsPerPayer ? 'payer_busy' : 'reserved';
  }

  calls(key: string): number {
    return this.#callsOf.get(key)?.count ?? 0;
  }

  enter(payer: string, key: string): void {
    const keys = this.#inFlight.get(payer) ?? new Set();
    this.#inFlight.set(payer, keys.add(key));
  }

  leave(payer: string, key: string): void {
    const keys = this.#inFlight.get(payer);
    keys?.delete(key);
    if (keys?.size === 0) this.#inFlight.delete(payer);
  }

  called(payer: string, key: string, nowMs: number): void {
    this.#callsOf.set(key, { count: this.calls(key) + 1, atMs: nowMs });
    this.#calls.set(payer, [...this.#recent(payer, nowMs), { key, atMs: nowMs }]);
  }

  /** A settlement has followed: its calls count no more against the payer. */
  settled(payer: string, key: string): void {
    const others = (this.#calls.get(payer) ?? []).filter((call) => call.key !== key);
    if (others.length > 0) this.#calls.set(payer, others);
    else this.#calls.delete(payer);
  }

  /** Forgets what is too old to matter. */
  sweep(nowMs: number): void {
    for (const payer of this.#calls.keys()) if (this.#recent(payer, nowMs).length === 0) this.#calls.delete(payer);
    for (const [key, { atMs }] of this.#callsOf) if (nowMs - atMs > PAYMENTS.answerMs) this.#callsOf.delete(key);
  }

  #recent(payer: string, nowMs: number): UnsettledCall[] {
    return (this.#calls.get(payer) ?? []).filter(({ atMs }) => nowMs - atMs < PAYMENTS.unsettledWindowMs);
  }
}
