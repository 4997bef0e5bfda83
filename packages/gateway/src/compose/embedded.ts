import { randomBytes } from 'node:crypto';
import type { RootDatabase } from 'lmdb';
import { MemoryStore } from '../budget/memory-store.ts';
import { SlotFile } from '../budget/slot-file.ts';
import { Accounts } from '../credit/accounts.ts';
import { creditGrants } from '../credit/grants.ts';
import { Payments } from '../payments/payments.ts';
import { EmbeddedDocuments, type EmbeddedDocumentsOptions } from '../payments/store/embedded.ts';
import { MemoryFees } from '../payments/store/memory-fees.ts';
import { EmbeddedBooks } from '../sales/embedded-books.ts';
import type { Books } from '../sales/journal.ts';
import { paymentEntries } from '../sales/payment-entries.ts';
import { WatchedDocuments } from '../sales/watched-documents.ts';
import { type Clock, monotonicMs, steadyClock } from '../stores/clock.ts';
import { Damage } from '../stores/damage.ts';
import { openDatabase, secretOf } from '../stores/database.ts';
import { FreeSpace } from '../stores/free-space.ts';

/** The durable state of one process, in a folder. */
export interface Embedded {
  readonly store: MemoryStore;
  readonly documents: WatchedDocuments;
  readonly books: Books;
  readonly payments: Payments;
  readonly accounts: Accounts;
  readonly fees: MemoryFees;
  /** Made once and kept, for operators who configure none. */
  readonly secret: string;
  close(): Promise<void>;
}

/** How long and how much is kept, and what tests may change. */
export interface EmbeddedOptions extends EmbeddedDocumentsOptions {
  readonly space?: FreeSpace;
  readonly now?: Clock;
}

/**
 * Reads the payments that are not over. In one transaction, which also makes the tables that are not there yet: in one for each
 * of them, a first start would wait for the disk a dozen times.
 */
const load = (root: RootDatabase, now: Clock, space: FreeSpace, options: EmbeddedDocumentsOptions) =>
  root.transactionSync(() => loadWithin(root, now, space, options));

function loadWithin(root: RootDatabase, now: Clock, space: FreeSpace, options: EmbeddedDocumentsOptions) {
  try {
    const documents = new WatchedDocuments(new EmbeddedDocuments(root, now, space, options));
    const accounts = new Accounts(documents);
    const payments = new Payments(documents, [creditGrants(() => documents.now()), paymentEntries]);
    return { documents, payments, accounts };
  } catch (error) {
    // The pages are whole, but what is in one of them was not written by us. The decoder's message would quote it.
    throw new Damage(`a record cannot be read: ${error instanceof Error ? error.name : 'unknown'}`);
  }
}

/** Opens the folder's store; the used nonces live in memory only, under an epoch of their own. */
export async function openEmbedded(folder: string, options: EmbeddedOptions = {}): Promise<Embedded> {
  const { space = new FreeSpace(folder), now = steadyClock() } = options;
  const root = await openDatabase(folder);
  try {
    const opened = load(root, now, space, options);
    const secret = await secretOf(root);
    const slots = new SlotFile(folder, { now, monotonic: monotonicMs }, space);
    const store = new MemoryStore({
      now,
      wallNow: options.now ?? (() => Date.now()),
      epoch: randomBytes(16).toString('hex'),
      held: slots.held,
      assertKeepable: (budget) => slots.assertKeepable(budget),
      keep: (budget, slot) => slots.keep(budget, slot),
      keepEnd: (budget, slot) => slots.keepEnd(budget, slot),
    });
    return {
      store,
      ...opened,
      books: new EmbeddedBooks(root),
      fees: new MemoryFees(now),
      secret,
      close: () => {
        slots.close();
        return root.close();
      },
    };
  } catch (error) {
    await root.close();
    throw error;
  }
}
