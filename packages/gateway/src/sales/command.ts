import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@asset-gateway/protocol';
import type { Database } from '../stores/sql/database.ts';
import { audit, type Findings } from './audit.ts';
import type { Books } from './books.ts';
import { readTask, type Task, USAGE, UsageError } from './options.ts';
import { appendMissing, isSale, missingEntry, type Payee } from './payee-history.ts';
import { clockTable, discrepancyTable, entryTable, groupTable, openTable, written, writtenOn } from './report.ts';

/** The output of the command. */
export type Output = Readonly<Record<'stdout' | 'stderr', { write(text: string): unknown }>>;

/** The data that the command reads. */
export interface Archive {
  readonly books: Books;
  readonly solPriceUsd: number | undefined;
  /** How long entries are stored, in milliseconds. */
  readonly keepMs: number;
  /** Opens the payee's chains on the first call. */
  payees(): Promise<readonly Payee[]>;
  /** For appending entries; undefined if the archive is read-only. */
  readonly database: Database | undefined;
  /** The amounts of credit bundles, in millionths of a dollar; empty if credit is off. */
  readonly creditAmounts: readonly number[];
  close(): Promise<void>;
}

/** Opens the archive: read-only, or writable to repair the journal. */
type OpenArchive = (toRepair: boolean) => Promise<Archive>;

const FOLLOW_MS = 1_000;
/** How long after its time an entry may become visible. */
const LATE_MS = 10_000;

/** Writes entries as they are appended, until the process ends. Entries may become visible in another order than that of their ids. */
async function follow({ books }: Archive, { sinceMs, format }: Task, { stdout }: Output): Promise<never> {
  if (format !== 'json') stdout.write(written(entryTable([]), format));
  let fromMs = sinceMs;
  let seen = new Map<number, number>();
  for (;;) {
    for await (const entries of books.entries(fromMs)) {
      stdout.write(writtenOn(entryTable(entries.filter(({ id }) => !seen.has(id))), format));
      for (const { id, atMs } of entries) seen.set(id, atMs);
    }
    const latestMs = Math.max(fromMs, ...seen.values());
    fromMs = Math.max(sinceMs, latestMs - LATE_MS);
    seen = new Map([...seen].filter(([, atMs]) => atMs >= fromMs));
    await sleep(FOLLOW_MS);
  }
}

/** Appends missing entries and answers their number. The transfer of a covered payment becomes credit entirely. */
async function repair(archive: Archive, { discrepancies, transfers, covered }: Findings): Promise<number> {
  const { database, creditAmounts } = archive;
  const missing = new Set(
    discrepancies.filter(({ fault }) => fault === 'transfer without entry').map(({ transaction }) => transaction),
  );
  const sales = transfers.filter((transfer) => missing.has(transfer.signature) && isSale(transfer));
  if (!database || sales.length === 0) return 0;
  let count = 0;
  for (const sale of sales) {
    const entry = await missingEntry(sale);
    const isGranted = creditAmounts.length > 0 && (covered.has(entry.key) || creditAmounts.includes(entry.micros));
    if (await appendMissing(database, entry, isGranted)) count++;
  }
  return count;
}

async function verify(archive: Archive, task: Task, { stdout, stderr }: Output, nowMs: number) {
  const { sinceMs, format } = task;
  const { keepMs, books } = archive;
  const auditNow = async () => audit(books, await archive.payees(), { sinceMs, nowMs, keepMs });
  let findings = await auditNow();
  if (task.repair) {
    const count = await repair(archive, findings);
    stderr.write(`${count} entries appended\n`);
    if (count > 0) findings = await auditNow();
  }
  const { discrepancies, entries, transfers } = findings;
  if (format !== 'table' || discrepancies.length > 0) stdout.write(written(discrepancyTable(discrepancies), format));
  stderr.write(`${entries} entries, ${transfers.length} transfers, ${discrepancies.length} discrepancies\n`);
  return discrepancies.length === 0 ? 0 : 1;
}

async function carryOut(task: Task, archive: Archive, output: Output, nowMs: number): Promise<number> {
  const { kind, sinceMs, by, format } = task;
  const { books, solPriceUsd } = archive;
  if (kind === 'follow') return follow(archive, task, output);
  if (kind === 'verify') return verify(archive, task, output, nowMs);
  const tables = {
    clock: async () => clockTable(await books.clock(task.accept)),
    unresolved: async () => openTable(await books.openPayments()),
    group: async () => groupTable(by, (await books.groups(sinceMs, by)).groups, solPriceUsd),
  };
  output.stdout.write(written(await tables[kind](), format));
  return 0;
}

/** The command `asset-gateway sales`. Answers its exit code: 2 if the arguments are invalid or the chain cannot be read. */
export async function sales(words: readonly string[], output: Output, open: OpenArchive): Promise<number> {
  const nowMs = Date.now();
  let task: ReturnType<typeof readTask>;
  try {
    task = readTask(words, nowMs);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.stderr.write(`${USAGE}asset-gateway sales: ${error.message}\n`);
    return 2;
  }
  if (task === 'help') {
    output.stdout.write(USAGE);
    return 0;
  }
  const archive = await open(task.repair);
  try {
    return await carryOut(task, archive, output, nowMs);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    output.stderr.write(`asset-gateway: the chain cannot be read (${error.message})\n`);
    return 2;
  } finally {
    await archive.close();
  }
}
