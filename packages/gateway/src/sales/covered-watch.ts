import type { CoveredPayments, Watched } from '../credit/covered-payments.ts';
import { recordName } from '../payments/documents.ts';
import type { PaymentRecord } from '../payments/record.ts';
import { isOpen } from '../payments/state.ts';
import type { PaymentDocuments } from '../payments/store/port.ts';
import type { PayeeChain } from './audit.ts';
import { type Listed, listSince, transferBy } from './payee-history.ts';
import { append, type GrantOf, isAppended, missingEntry } from './repair.ts';

/** How often is looked, in milliseconds. */
export interface WatchPace {
  /** For what has come to be covered. */
  readonly everyMs: number;
  /** For each again. */
  readonly againMs: number;
}

/** What covered payments are watched with. */
export interface CoveredWatchParts {
  readonly covered: CoveredPayments;
  readonly documents: PaymentDocuments;
  /** Opened when there is something to look for. */
  readonly payees: () => Promise<readonly PayeeChain[]>;
  readonly grantOf: GrantOf;
  readonly pace?: Partial<WatchPace> | undefined;
}

const PACE: WatchPace = { everyMs: 10_000, againMs: 30_000 };
/** A transaction that no block within so many has taken can never be taken. */
const DEAD_AFTER_BLOCKS = 200;
/** So far the chain's time of day may be from ours. */
const SKEW_MS = 60_000;
/** An account that others write at the same moment is written again. */
const ATTEMPTS = 10;

/**
 * Looks whether payments that credit has covered were broadcast all the same, and grants what they brought. However many there
 * are, one look at the chain's height and one at the payee's history are made for all of a network.
 */
export class CoveredWatch {
  readonly #parts: CoveredWatchParts;
  readonly #pace: WatchPace;
  readonly #timer: NodeJS.Timeout;
  #sweeping: Promise<void> | undefined;

  constructor(parts: CoveredWatchParts) {
    this.#parts = parts;
    this.#pace = { ...PACE, ...parts.pace };
    this.#timer = setInterval(() => this.sweep(), this.#pace.everyMs).unref();
    this.sweep();
  }

  /** Looks for all whose time has come. */
  sweep(): void {
    this.#sweeping ??= this.#look()
      // What could not be looked at is looked at again.
      .catch(() => undefined)
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  /** Begins no other look, and resolves when the last one is over. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  async #look(): Promise<void> {
    const { covered, payees } = this.#parts;
    const due = await covered.due(this.#pace.againMs);
    const all = due.length === 0 ? [] : await payees();
    for (const network of new Set(due.map(({ payment }) => payment.network))) {
      const ofNetwork = due.filter(({ payment }) => payment.network === network);
      const payee = all.find((each) => each.payee.network === network);
      if (payee) await this.#lookOn(payee, ofNetwork);
      // There is no chain to read: only a comparison of the journal can find them.
      else for (const each of ofNetwork) await covered.end(each);
    }
  }

  async #lookOn(on: PayeeChain, due: readonly Watched[]): Promise<void> {
    const { covered } = this.#parts;
    // Read before the history: what has landed by this height is in it.
    const height = await on.chain.finalizedHeight();
    const sinceMs = Math.min(...due.map(({ payment }) => payment.atMs)) - SKEW_MS;
    const listed = await listSince(on.chain, on.payee.account, sinceMs);
    for (const each of due) {
      const { memo, height: first } = each.payment;
      const landed = listed.filter((row) => row.memo === memo);
      if (landed.length > 0 && (await this.#isOver(each, landed, on))) await covered.end(each);
      else if (first === undefined) await covered.note(each, height);
      else if (height > first + DEAD_AFTER_BLOCKS) await covered.end(each);
    }
  }

  /** Whether one of these transactions was the payment, and what it brought is granted. */
  async #isOver({ payment }: Watched, landed: readonly Listed[], on: PayeeChain): Promise<boolean> {
    const { documents, grantOf } = this.#parts;
    const [stored] = await documents.read([recordName(payment.key)]);
    const record = stored?.value as PaymentRecord | undefined;
    if (isOpen(record)) return false;
    if (record?.progress === 'settled') return true;
    for (const { signature } of landed) {
      const transfer = await transferBy(on.payee, on.chain, signature);
      const found = transfer && (await missingEntry(transfer, [on]));
      // A memo is there for all to copy.
      if (found?.id !== payment.key) continue;
      const entry = { ...found, route: payment.route, requestId: payment.requestId };
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        if (await append(documents, entry, grantOf(entry, true))) return true;
        if (await isAppended(documents, entry)) return true;
      }
    }
    return false;
  }
}
