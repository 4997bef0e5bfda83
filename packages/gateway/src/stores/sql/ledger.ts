import { type Database, keepAnswer, type OnWritten } from './database.ts';

/** How long an answer is stored, and owed if it was not delivered, in milliseconds; longer than any nonce or memo is valid. */
export const ANSWER_MS = 600_000;

/** What payments and credit have in common: a database, its clock, and the answers that were paid for. */
export class Ledger {
  protected readonly database: Database;
  protected readonly onWritten: OnWritten;

  constructor(database: Database, onWritten: OnWritten = () => undefined) {
    this.database = database;
    this.onWritten = onWritten;
  }

  /** The database's clock in milliseconds since the Unix epoch. It never steps. */
  now(): number {
    return Math.floor(this.database.now());
  }

  /** The stored answer of a payment or debit. */
  async answer(key: string): Promise<string | undefined> {
    const sql = 'select answer from answers where key = $1 and (until_ms is null or until_ms > $2)';
    const [row] = await this.database.read({ sql, values: [key, this.now()] });
    return row && String(row.answer);
  }

  /** Stores an answer that was fetched again. */
  async keep(key: string, answer: string): Promise<void> {
    const { sql, values } = keepAnswer({ key, answer, untilMs: this.now() + ANSWER_MS });
    const guard = { sql: `${sql.replace('{guarded}', '{in time}')} returning key`, values };
    await this.database.write({ guard, isDurable: true });
  }
}
