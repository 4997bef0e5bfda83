import { EventEmitter } from 'node:events';
import { Background } from '../background.ts';
import { closeAll } from '../closing.ts';
import { Accounts } from '../credit/accounts.ts';
import { LIMITS } from '../limits.ts';
import { Payments } from '../payments/payments.ts';
import { Books } from '../sales/books.ts';
import { IS_UNFINISHED } from '../stores/sql/conditions.ts';
import type { Database, MoneyEvents } from '../stores/sql/database.ts';
import { Retention } from '../stores/sql/retention.ts';
import { TIMES } from '../times.ts';

/** All data about money, in one database. */
export interface Money {
  readonly database: Database;
  readonly payments: Payments;
  readonly accounts: Accounts;
  /** The same data for reports, read-only. */
  readonly books: Books;
  /** Deletes expired rows. */
  readonly retention: Retention;
  /** Emits the writes of this process. */
  readonly events: EventEmitter<MoneyEvents>;
  /** Closes the parts but not the database. */
  close(): Promise<void>;
}

/**
 * Opens the data about money in a database. `journalKeepMs`: how long journal entries are
 * stored. `answerBytes`: the most bytes of all stored answers together.
 */
export function openMoney(
  database: Database,
  journalKeepMs: number,
  answerBytes: number = LIMITS.answerBytes,
  background = new Background(),
): Money {
  const events = new EventEmitter<MoneyEvents>();
  const payments = new Payments(database, events, background);
  const accounts = new Accounts(database, events, background);
  const releaseLapsed = () => accounts.releaseAllLapsed();
  const retention = new Retention(database, { journalKeepMs, answerBytes, releaseLapsed }, background);
  return {
    database,
    payments,
    accounts,
    books: new Books(database),
    retention,
    events,
    close: () => closeAll([payments, retention]),
  };
}

const END_LEASES = `update payments set leased_until_ms = $1 where leased_until_ms > $1 and ${IS_UNFINISHED} and {in time}
  returning key as id`;
const END_HOLDS = `update debits set until_ms = 0 where state = 'held' and {in time} returning id`;

/** Ends the leases and holds of the last process. Call it at a start of the only process. */
export async function recover({ database, accounts }: Money): Promise<void> {
  // The leases are set so far back that the payments do not count as in flight. Their rows stay, because retention and limits still need
  // their calls.
  await database.write({ condition: { sql: END_LEASES, values: [Math.floor(database.now()) - TIMES.inFlightMs] } });
  await database.write({ condition: { sql: END_HOLDS } });
  await accounts.releaseAllLapsed();
}
