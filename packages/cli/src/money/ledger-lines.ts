import type { PaymentTrace } from '@asset-gateway/client/pay';
import { attempt, DAY_MS } from '@asset-gateway/protocol';

/** The steps of an amount. */
const STEPS = ['held', 'signed', 'released', 'paid', 'refused', 'given up'] as const;
export type LedgerStep = (typeof STEPS)[number];

/** One line of the ledger. It has no inner object, so that a cut line has no closing brace. Once signed, it has a trace. */
export interface LedgerLine extends Partial<PaymentTrace> {
  readonly id: string;
  readonly step: LedgerStep;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The amount in millionths of a dollar, in a line that holds one. */
  readonly micros?: number;
  /** The limits of the amount, in a line that holds one; null if there is none. */
  readonly perDayMicros?: number | null;
  readonly inAllMicros?: number | null;
  /** The hash of the request that the payment buys, in a line that signs one. */
  readonly request?: string;
}

/** An amount that counts against the limits. */
export interface Spent
  extends Required<Pick<LedgerLine, 'id' | 'at' | 'micros' | 'step'>>,
    Pick<LedgerLine, 'request'> {
  /** When the payment was signed, if it was. */
  readonly signedAt?: number;
  readonly trace?: PaymentTrace;
}

const LINE_START = '{"id":"';
const TORN_MARK = ' #torn\n';

/** Whether a value is a whole number of at least 0. */
export const isAmount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isLimit = (value: unknown): boolean => value === null || isAmount(value);

/** Returns the trace in a line or object; undefined without one, as in ledgers of earlier versions. */
export function traceIn(value: unknown): PaymentTrace | undefined {
  const { network, account, memo, slot, lastValidBlockHeight } = (value ?? {}) as Partial<PaymentTrace>;
  const hasTexts = [network, account, memo].every((text) => typeof text === 'string');
  if (!hasTexts || !isAmount(slot) || !isAmount(lastValidBlockHeight)) return undefined;
  return { network, account, memo, slot, lastValidBlockHeight } as PaymentTrace;
}

function isLedgerLine(value: unknown): value is LedgerLine {
  if (typeof value !== 'object' || value === null) return false;
  const { id, step, at, micros, perDayMicros, inAllMicros, request } = value as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || id === '' || !isAmount(at) || !STEPS.includes(step as LedgerStep)) return false;
  if (step === 'held') return isAmount(micros) && isLimit(perDayMicros) && isLimit(inAllMicros);
  return request === undefined || typeof request === 'string';
}

function parsedLine(line: string): LedgerLine | undefined {
  const value = attempt((): unknown => JSON.parse(line), undefined);
  return isLedgerLine(value) ? value : undefined;
}

/** Whether a crash interrupted the write of a line. Such a line has no effect. */
const isTorn = (line: string): boolean =>
  !line.includes('}') && (line.startsWith(LINE_START) || LINE_START.startsWith(line));

/** Returns the text to append for a line. It first marks an interrupted write, so that readers skip it. */
export function appendedText(text: string, line: LedgerLine): string {
  const last = text.slice(text.lastIndexOf('\n') + 1);
  return `${last !== '' && isTorn(last) ? TORN_MARK : '\n'}${JSON.stringify(line)}\n`;
}

/**
 * Returns the lines in a ledger's text. Skips interrupted writes, which are marked or the last line. Throws at any other invalid line,
 * because it may have been an amount.
 */
export function* linesIn(text: string): Generator<LedgerLine> {
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const isSkipped = line === '' || `${line}\n`.endsWith(TORN_MARK);
    const parsed = isSkipped ? undefined : parsedLine(line);
    if (parsed) yield parsed;
    else if (!isSkipped && !(at === lines.length - 1 && isTorn(line))) throw new SyntaxError(`line ${at + 1}`);
  }
}

/** Computes a ledger's balance. Whether an amount is within its limits depends only on earlier lines, so all processes agree. */
export class Account {
  readonly #counted = new Map<string, Spent>();
  /** Every amount that was ever counted, by time. After a clock was set back, lines with earlier times follow lines with later ones. */
  readonly #byTime: Spent[] = [];
  /** The last window: its start, the index of its first amount, and its sum. */
  #start = Number.NEGATIVE_INFINITY;
  #first = 0;
  #dayMicros = 0;
  all = 0;

  /** Applies one line. Returns whether a held amount is within its limits. */
  apply(line: LedgerLine): boolean {
    const known = this.#counted.get(line.id);
    const { step, at, request } = line;
    if (step === 'held') return !known && this.#hold(line);
    if (!known) return false;
    if (step === 'released') this.#release(known);
    else {
      const trace = traceIn(line);
      const bought = { ...(request !== undefined && { request }), ...(trace && { trace }) };
      const signed = step === 'signed' && { signedAt: at, ...bought };
      this.#counted.set(line.id, { ...known, step, ...signed });
    }
    return true;
  }

  /** Returns the spending in the 24 hours before this time and after it, in millionths of a dollar. Lines dated in the future count. */
  dayBefore(at: number): number {
    const start = at - DAY_MS;
    const times = this.#byTime;
    for (; (times[this.#first]?.at ?? at) <= start; this.#first++) this.#dayMicros -= this.#amountAt(this.#first);
    while ((times[this.#first - 1]?.at ?? start) > start) this.#dayMicros += this.#amountAt(--this.#first);
    this.#start = start;
    return this.#dayMicros;
  }

  /** Returns all amounts that count, oldest first. */
  get spent(): readonly Spent[] {
    return [...this.#counted.values()];
  }

  #amountAt(index: number): number {
    const { id = '' } = this.#byTime[index] ?? {};
    return this.#counted.get(id)?.micros ?? 0;
  }

  #hold({ id, at, micros = 0, perDayMicros, inAllMicros }: LedgerLine): boolean {
    const isWithin =
      this.dayBefore(at) + micros <= (perDayMicros ?? Number.POSITIVE_INFINITY) &&
      this.all + micros <= (inAllMicros ?? Number.POSITIVE_INFINITY);
    if (!isWithin) return false;
    const spent: Spent = { id, at, micros, step: 'held' };
    this.#counted.set(id, spent);
    this.#byTime.splice(this.#byTime.findLastIndex((each) => each.at <= at) + 1, 0, spent);
    this.#dayMicros += micros;
    this.all += micros;
    return true;
  }

  #release({ id, at, micros }: Spent): void {
    this.#counted.delete(id);
    this.all -= micros;
    if (at > this.#start) this.#dayMicros -= micros;
  }
}
