import type { Change, Commit, PaymentDocuments, Stored } from '../payments/store/port.ts';
import type { NewDebit } from './debit.ts';

/** A payment that credit was spent in place of. Until no block can take it any more, somebody may broadcast it. */
export interface CoveredPayment {
  readonly key: string;
  /** CAIP-2. */
  readonly network: string;
  /** By which it is found among the payee's transactions. */
  readonly memo: string;
  readonly route: string;
  readonly requestId: string;
  /** When it was covered, in milliseconds. */
  readonly atMs: number;
  /** The finalized block height when it was first looked for. */
  readonly height?: number;
}

/** One that is to be looked for now. */
export interface Watched {
  readonly payment: CoveredPayment;
  readonly stored: Stored;
}

/** What could not be looked for in so long a time, in milliseconds, is left to a comparison of the journal with the chain. */
const FORGET_MS = 3_600_000;

const nameOf = (key: string): string => `covered:${key}`;

/** What is written with the charge of a debit, so that its payment is looked for; nothing where a signature has spent. */
export function watching(debit: NewDebit, nowMs: number): { changes: readonly Change[] } & Pick<Commit, 'open'> {
  const { id: key, network, route, requestId, memo } = debit;
  if (memo === undefined) return { changes: [] };
  const value: CoveredPayment = { key, network, memo, route, requestId, atMs: nowMs };
  const was = { name: nameOf(key), version: undefined, value: undefined };
  return {
    changes: [{ was, value, isLasting: true, forgetMs: FORGET_MS }],
    open: { list: 'covered', key, fromMs: nowMs },
  };
}

/** The payments that were covered and may yet be broadcast. */
export class CoveredPayments {
  readonly #documents: PaymentDocuments;

  constructor(documents: PaymentDocuments) {
    this.#documents = documents;
  }

  /** Those whose time has come; none of them again, on any node, for so many milliseconds. */
  async due(againMs: number): Promise<readonly Watched[]> {
    const keys = await this.#documents.openKeys({ list: 'covered', againMs });
    const found = keys.length === 0 ? [] : await this.#documents.read(keys.map(nameOf));
    for (const [index, stored] of found.entries()) {
      if (stored.value === undefined) await this.#documents.commit({ changes: [], open: over(keys[index] ?? '') });
    }
    return found.flatMap((stored) =>
      stored.value === undefined ? [] : { payment: stored.value as CoveredPayment, stored },
    );
  }

  /** Notes how high the chain was: so many blocks later it can be taken no more. */
  async note({ payment, stored }: Watched, height: number): Promise<void> {
    const value: CoveredPayment = { ...payment, height };
    await this.#documents.commit({ changes: [{ was: stored, value, isLasting: true, forgetMs: FORGET_MS }] });
  }

  /** It has landed and is granted, or it never will. */
  async end({ payment, stored }: Watched): Promise<void> {
    const changes = [{ was: stored, value: undefined, isLasting: true }];
    await this.#documents.commit({ changes, open: over(payment.key) });
  }
}

const over = (key: string): NonNullable<Commit['open']> => ({ list: 'covered', key, fromMs: undefined });
