import { setTimeout as sleep } from 'node:timers/promises';
import { dollars, Refusal } from '@asset-gateway/protocol';
import type { Database } from '../stores/sql/database.ts';
import { audit, type Missing, type ProveCredit } from './audit.ts';
import type { Books } from './books.ts';
import { readTask, type SalesTask, USAGE, UsageError } from './options.ts';
import { appendMissing, missingEntry, type Payee, transferBy } from './payee-history.ts';
import { clockTable, discrepancyTable, entryTable, groupTable, openTable, tableText } from './report.ts';

/** The output of the command. */
type CommandOutput = Readonly<Record<'stdout' | 'stderr', { write(text: string): unknown }>>;

/** The data that the command reads. */
export interface Archive {
  readonly books: Books;
  readonly solPriceUsd: number | undefined;
  /** Opens the payee's chains on the first call. */
  payees(): Promise<readonly Payee[]>;
  /** The database to which entries are appended; undefined if the archive is read-only. */
  readonly database: Database | undefined;
  /** Proves credit by the secrets of this deployment. */
  prover(): Promise<ProveCredit>;
  close(): Promise<void>;
}

/** Opens the archive: read-only, or writable to repair the journal. */
type OpenArchive = (toRepair: boolean) => Promise<Archive>;

const FOLLOW_MS = 1_000;
/** How long after its time an entry may become visible, in milliseconds. */
const LATE_MS = 10_000;

/**
 * Writes entries as they are appended, until the process ends. Concurrent entries may become visible in another order
 * than that of their ids.
 */
async function follow({ books }: Archive, { sinceMs, format }: SalesTask, { stdout }: CommandOutput): Promise<never> {
  if (format !== 'json') stdout.write(tableText(entryTable([]), format));
  let fromMs = sinceMs;
  let seen = new Map<number, number>();
  for (;;) {
    for await (const entries of books.entries(fromMs)) {
      stdout.write(tableText(entryTable(entries.filter(({ id }) => !seen.has(id))), format, true));
      for (const { id, atMs } of entries) seen.set(id, atMs);
    }
    const latestMs = Math.max(fromMs, ...seen.values());
    fromMs = Math.max(sinceMs, latestMs - LATE_MS);
    seen = new Map([...seen].filter(([, atMs]) => atMs >= fromMs));
    await sleep(FOLLOW_MS);
  }
}

/** Appends the missing entries whose credit is proven, and returns their number. */
async function repair({ database }: Archive, missing: readonly Missing[]): Promise<number> {
  let count = 0;
  for (const { transfer, entry, creditMicros } of missing) {
    if (!database || creditMicros === undefined) continue;
    if ((await appendMissing(database, entry, creditMicros, transfer.atMs)) === 'appended') count++;
  }
  return count;
}

const NOT_GRANTED = {
  present: 'the journal has its entry',
  barred: 'its payment is in progress, or it is older than the journal and may have been granted: then add --since all',
};

/** Grants the whole amount of a transfer, which the operator has chosen with `--grant`. Returns the exit code. */
async function grant(
  archive: Archive,
  signature: string,
  atAnyAge: boolean,
  { stderr }: CommandOutput,
): Promise<number> {
  const { database } = archive;
  for (const payee of await archive.payees()) {
    const transfer = await transferBy(payee, signature);
    if (!transfer || !database) continue;
    const entry = await missingEntry(transfer);
    const verdict = await appendMissing(database, entry, entry.micros, atAnyAge ? undefined : transfer.atMs);
    const isGranted = verdict === 'appended';
    const done = `granted ${dollars(entry.micros)} USD to ${entry.wallet} on ${entry.cluster}`;
    stderr.write(isGranted ? `${done}\n` : `nothing is granted: ${NOT_GRANTED[verdict]}\n`);
    return isGranted ? 0 : 1;
  }
  stderr.write('nothing is granted: no transfer to the payee has this signature\n');
  return 1;
}

async function verify(archive: Archive, task: SalesTask, output: CommandOutput) {
  const { sinceMs, format } = task;
  const { stdout, stderr } = output;
  if (task.grant !== undefined) return grant(archive, task.grant, sinceMs === 0, output);
  const payees = await archive.payees();
  const prove = await archive.prover();
  const auditNow = () => audit(archive.books, payees, sinceMs, prove);
  let findings = await auditNow();
  if (task.repair) {
    const count = await repair(archive, findings.missing);
    stderr.write(`${count} entries appended\n`);
    if (count > 0) findings = await auditNow();
  }
  const { discrepancies, entries, transfers } = findings;
  if (format !== 'table' || discrepancies.length > 0) stdout.write(tableText(discrepancyTable(discrepancies), format));
  stderr.write(`${entries} entries, ${transfers} transfers, ${discrepancies.length} discrepancies\n`);
  return discrepancies.length === 0 ? 0 : 1;
}

async function carryOut(task: SalesTask, archive: Archive, output: CommandOutput): Promise<number> {
  const { kind, sinceMs, by, format } = task;
  const { books, solPriceUsd } = archive;
  if (kind === 'follow') return follow(archive, task, output);
  if (kind === 'verify') return verify(archive, task, output);
  const tables = {
    clock: async () => clockTable(await books.clock(task.accept)),
    unresolved: async () => openTable(await books.openPayments()),
    group: async () => groupTable(by, (await books.groups(sinceMs, by)).groups, solPriceUsd),
  };
  output.stdout.write(tableText(await tables[kind](), format));
  return 0;
}

/** Runs the command `asset-gateway sales`. Returns its exit code: 2 if the arguments are invalid or the chain cannot be read. */
export async function sales(words: readonly string[], output: CommandOutput, open: OpenArchive): Promise<number> {
  let task: SalesTask | 'help';
  try {
    task = readTask(words, Date.now());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.stderr.write(`${USAGE}asset-gateway sales: ${error.message}\n`);
    return 2;
  }
  if (task === 'help') {
    output.stdout.write(USAGE);
    return 0;
  }
  const archive = await open(task.repair || task.grant !== undefined);
  try {
    return await carryOut(task, archive, output);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    output.stderr.write(`asset-gateway: the chain cannot be read (${error.message})\n`);
    return 2;
  } finally {
    await archive.close();
  }
}
