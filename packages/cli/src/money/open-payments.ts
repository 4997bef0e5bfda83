import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isVerb, type LedgerEntry, type PaymentTrace } from '@asset-gateway/client/pay';
import { makeFolder, writeDurably } from './durable.ts';
import { isAmount, traceIn } from './ledger-lines.ts';

/** A signed payment with an unknown outcome. Keep it secret, because anyone can spend it. */
export interface OpenPayment extends Omit<LedgerEntry, 'trace'> {
  readonly id: string;
  readonly at: number;
  /** The trace; undefined in payments of earlier versions. */
  readonly trace?: PaymentTrace | undefined;
}

const SUFFIX = '.json';

const isText = (value: unknown): value is string => typeof value === 'string';

function isPayment(value: unknown, id: string): value is OpenPayment {
  const { id: own, at, micros, request, headers } = value as Readonly<Record<string, unknown>>;
  const { url, method, body } = request as Readonly<Record<string, unknown>>;
  const isRequest = isText(url) && URL.canParse(url) && isVerb(method);
  const hasTexts = (body === undefined || isText(body)) && Object.values(headers as object).every(isText);
  return own === id && isAmount(at) && isAmount(micros) && isRequest && hasTexts;
}

/** Stores one file per signed payment, from before it is sent until its outcome is known. */
export class OpenPayments {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'payments');
  }

  /** Stores a payment durably. */
  record(payment: OpenPayment): void {
    makeFolder(this.#folder);
    writeDurably(this.#file(payment.id), JSON.stringify(payment));
  }

  remove(id: string): void {
    rmSync(this.#file(id), { force: true });
  }

  /** Returns the ids of all open payments. */
  ids(): string[] {
    const names = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
  }

  /** Returns an open payment; undefined if it was closed meanwhile. Throws if its file cannot be read. */
  read(id: string): OpenPayment | undefined {
    const file = this.#file(id);
    try {
      const payment: unknown = JSON.parse(readFileSync(file, 'utf8'));
      if (isPayment(payment, id)) return { ...payment, trace: traceIn(payment.trace) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    }
    throw new Error(
      `${file} cannot be read; it holds a payment with an unknown outcome: move it away to go on without it`,
    );
  }

  /** Returns all open payments, oldest first. */
  all(): OpenPayment[] {
    return this.ids()
      .flatMap((id) => this.read(id) ?? [])
      .sort((one, other) => one.at - other.at);
  }

  #file(id: string): string {
    return join(this.#folder, id + SUFFIX);
  }
}
