import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError, type SentRequest } from '@asset-gateway/client';
import type { EarlierPayment, LedgerEntry, SpendingLedger } from '@asset-gateway/client/pay';
import { dollarText } from '@asset-gateway/protocol';
import { append, makeFolder } from './durable.ts';
import { Account, appendedText, type LedgerLine, type LedgerStep, linesIn } from './ledger-lines.ts';
import { OpenPayments } from './open-payments.ts';

/** The steps of a purchase. Tests kill the process at each one. */
export type PurchaseStep = 'held' | 'signed' | 'recorded' | 'answered' | 'closed';

/** Returns a limit as a line stores it: null without a limit. */
const limitOf = (micros: number): number | null => (micros > Number.MAX_SAFE_INTEGER ? null : micros);

const hashOf = ({ url, method, body = '' }: SentRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([url, method, body]))
    .digest('hex');

/**
 * A ledger in a file that all processes of a user share. It needs no lock. Each line is appended with one write, so all processes see the
 * same order. An amount counts only if the earlier lines leave room for it.
 */
export class LedgerFile implements SpendingLedger {
  readonly payments: OpenPayments;
  readonly #file: string;
  readonly #folder: string;
  readonly #onStep: (step: PurchaseStep) => void;

  constructor(folder: string, onStep: (step: PurchaseStep) => void = () => {}) {
    this.#folder = folder;
    this.#file = join(folder, 'spending.jsonl');
    this.payments = new OpenPayments(folder);
    this.#onStep = onStep;
  }

  async hold(micros: number, caps: Parameters<SpendingLedger['hold']>[1]): Promise<string> {
    const limits = { perDayMicros: limitOf(caps.perDayMicros), inAllMicros: limitOf(caps.inAllMicros) };
    makeFolder(this.#folder);
    // If the ledger cannot be read, throws before the write.
    this.#lines();
    const id = randomUUID();
    this.#write({ id, step: 'held', at: Date.now(), micros, ...limits });
    if (!this.#isWithin(id)) {
      const message = `${dollarText(micros)} more would exceed ${dollarText(caps.perDayMicros)} in 24 hours (--max-day); nothing was signed`;
      throw new GatewayError('spending_limit', { message });
    }
    this.#onStep('held');
    return id;
  }

  async signed(id: string, entry: LedgerEntry): Promise<void> {
    this.#onStep('signed');
    const { request, trace } = entry;
    this.payments.record({ id, at: Date.now(), ...entry });
    this.#write({ id, step: 'signed', at: Date.now(), request: hashOf(request), ...trace }, true);
    this.#onStep('recorded');
  }

  async release(id: string): Promise<void> {
    // The payment can no longer settle. Removing its file works even on a full disk.
    this.payments.remove(id);
    this.#write({ id, step: 'released', at: Date.now() });
  }

  async closed(id: string, outcome: 'paid' | 'refused' | 'given up'): Promise<void> {
    this.#onStep('answered');
    this.#write({ id, step: outcome, at: Date.now() }, true);
    this.payments.remove(id);
    this.#onStep('closed');
  }

  async earlier(request?: SentRequest): Promise<readonly EarlierPayment[]> {
    const hash = request && hashOf(request);
    const isWanted = (other: string | undefined): boolean => hash === undefined || other === hash;
    const refused = this.#account()
      .spent.filter((spent) => spent.step === 'refused' && isWanted(spent.request))
      .map(({ id, at, micros, trace, signedAt = at }) => ({
        ...{ id, at: signedAt, micros, trace, headers: {} },
        state: 'refused' as const,
      }));
    const open = this.payments
      .all()
      .filter((payment) => isWanted(hashOf(payment.request)) && !this.isClosed(payment.id))
      .map(({ request: _, ...payment }) => ({ ...payment, state: 'signed' as const }));
    return [...refused, ...open].sort((one, other) => other.at - one.at);
  }

  /** Returns the spending of the last 24 hours and in all, in millionths of a dollar. Its amounts are listed oldest first. */
  spending() {
    const account = this.#account();
    return { dayMicros: account.dayBefore(Date.now()), allMicros: account.all, spent: account.spent };
  }

  /** Whether the ledger has the payment's outcome. After a crash, the file of a closed payment may remain. */
  isClosed(id: string): boolean {
    const closes: readonly LedgerStep[] = ['paid', 'refused', 'released', 'given up'];
    return this.#lines().some((line) => line.id === id && closes.includes(line.step));
  }

  #account(): Account {
    const account = new Account();
    for (const line of this.#lines()) account.apply(line);
    return account;
  }

  #isWithin(id: string): boolean {
    const account = new Account();
    for (const line of this.#lines()) {
      const isWithin = account.apply(line);
      if (line.id === id) return isWithin;
    }
    throw new Error(`${this.#file} lost a line that was written to it; nothing was signed`);
  }

  #lines(): readonly LedgerLine[] {
    const text = this.#text();
    try {
      return [...linesIn(text)];
    } catch (error) {
      const where = (error as SyntaxError).message;
      const message =
        `${this.#file} cannot be read (${where}), so nothing is paid: restore it from a copy, or move it away to begin ` +
        'a new one, which forgets all spending so far';
      throw new GatewayError('payment_not_made', { message });
    }
  }

  #text(): string {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : '';
  }

  #write(line: LedgerLine, isDurable = false): void {
    append(this.#file, appendedText(this.#text(), line), isDurable);
  }
}
