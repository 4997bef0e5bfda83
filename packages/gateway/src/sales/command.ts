import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@asset-gateway/protocol';
import type { PaymentDocuments } from '../payments/store/port.ts';
import { audit, type Findings, type PayeeChain } from './audit.ts';
import { Groups } from './grouping.ts';
import { type Books, entriesFrom, type From } from './journal.ts';
import { readTask, type Task, UsageError } from './options.ts';
import { append, type GrantOf, isSale, missingEntry } from './repair.ts';
import { discrepancyTable, entryTable, groupTable, openTable, written, writtenOn } from './report.ts';
import { USAGE } from './usage.ts';

/** Where the command writes to. */
export interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** What the command looks into. */
export interface Archive {
  readonly books: Books;
  readonly solPriceUsd: number | undefined;
  /** How long entries are kept, in milliseconds. */
  readonly keepMs: number;
  /** Where the payee is paid. Nobody else is asked before. */
  payees(): Promise<readonly PayeeChain[]>;
  /** Where entries can be appended; nothing where it was opened to read only. */
  readonly documents: PaymentDocuments | undefined;
  /** What of a repaired settlement is credit; nothing where credit is off. */
  readonly grantOf?: GrantOf | undefined;
  close(): Promise<void>;
}

/** Opens it, to write as well or to read only. */
export type OpenArchive = (toRepair: boolean) => Promise<Archive>;

const FOLLOW_MS = 1_000;

type Of<Kind extends Task['kind']> = Extract<Task, { kind: Kind }>;

async function group({ books, solPriceUsd }: Archive, { sinceMs, by, format }: Of<'group'>): Promise<string> {
  const groups = new Groups(by);
  for await (const entries of entriesFrom(books, { sinceMs })) for (const entry of entries) groups.add(entry);
  return written(groupTable(by, groups.list(), solPriceUsd), format);
}

/** Writes entries as they are appended, until the process ends. */
async function follow({ books }: Archive, { sinceMs, format }: Of<'follow'>, { stdout }: Output): Promise<never> {
  let from: From = { sinceMs };
  if (format !== 'json') stdout.write(written(entryTable([]), format));
  for (;;) {
    for await (const entries of entriesFrom(books, from)) {
      stdout.write(writtenOn(entryTable(entries), format));
      from = { after: entries.at(-1)?.place ?? '' };
    }
    await sleep(FOLLOW_MS);
  }
}

/** Appends what is missing, and says how much that was. */
async function repair(
  { documents, payees, grantOf }: Archive,
  { discrepancies, transfers, debits }: Findings,
): Promise<number> {
  const missing = new Set(
    discrepancies.filter(({ fault }) => fault === 'transfer without entry').map(({ transaction }) => transaction),
  );
  const sales = transfers.filter((transfer) => missing.has(transfer.signature) && isSale(transfer));
  if (!documents || sales.length === 0) return 0;
  const chains = await payees();
  let count = 0;
  for (const sale of sales) {
    const entry = await missingEntry(sale, chains);
    if (await append(documents, entry, grantOf?.(entry, debits.has(entry.id)))) count++;
  }
  return count;
}

async function verify(archive: Archive, task: Of<'verify'>, { stdout, stderr }: Output, nowMs: number) {
  const { sinceMs, format } = task;
  const { keepMs, books } = archive;
  const look = async () => audit(books, await archive.payees(), { sinceMs, nowMs, keepMs });
  let findings = await look();
  if (task.repair) {
    const count = await repair(archive, findings);
    stderr.write(`${count} entries appended\n`);
    if (count > 0) findings = await look();
  }
  const { discrepancies, entries, transfers, skipped } = findings;
  if (format !== 'table' || discrepancies.length > 0) stdout.write(written(discrepancyTable(discrepancies), format));
  if (skipped !== undefined) stderr.write(`${skipped}\n`);
  stderr.write(`${entries} entries, ${transfers.length} transfers, ${discrepancies.length} discrepancies\n`);
  return discrepancies.length === 0 ? 0 : 1;
}

async function carryOut(task: Exclude<Task, { kind: 'help' }>, archive: Archive, output: Output, nowMs: number) {
  switch (task.kind) {
    case 'group':
      output.stdout.write(await group(archive, task));
      return 0;
    case 'follow':
      return follow(archive, task, output);
    case 'unresolved':
      output.stdout.write(written(openTable(await archive.books.openPayments()), task.format));
      return 0;
    case 'verify':
      return verify(archive, task, output, nowMs);
  }
}

/** The command `asset-gateway sales`. Answers its exit code: 2 where the words are not understood. */
export async function sales(words: readonly string[], output: Output, open: OpenArchive): Promise<number> {
  const nowMs = Date.now();
  let task: Task;
  try {
    task = readTask(words, nowMs);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.stderr.write(`${USAGE}asset-gateway sales: ${error.message}\n`);
    return 2;
  }
  if (task.kind === 'help') {
    output.stdout.write(USAGE);
    return 0;
  }
  const archive = await open(task.kind === 'verify' && task.repair);
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
