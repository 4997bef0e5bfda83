import { randomBytes } from 'node:crypto';
import { NETWORKS } from '@asset-gateway/protocol';
import type { Clock } from '../../stores/clock.ts';
import {
  BACKGROUND_TIMEOUT,
  REQUEST_TIMEOUT,
  type RedisConnection,
  type ReplyTimeout,
  timeoutFor,
} from '../../stores/redis/connection.ts';
import { Epoch } from '../../stores/redis/epoch.ts';
import { Keyspace } from '../../stores/redis/keyspace.ts';
import { isAppendOnly } from '../../stores/redis/server-settings.ts';
import { PAYMENTS } from '../record.ts';
import { JOURNAL_KEEP_MS, type JournalEntry, owedBy } from './journal.ts';
import type { AnswerChange, Change, Commit, Committed, OpenQuery, PaymentDocuments, Reach, Stored } from './port.ts';
import { ANSWER, COMMIT, OPEN, OWED, READ } from './redis-scripts.ts';

/** How long a payment stays a process's without a sign of life. */
export const LEASE_MS = 6_000;
/** How often a node looks whether documents were lost. */
const BEAT_MS = 1_000;
const OPEN_AT_ONCE = 100;
/** As much as an upstream may answer. */
const MAX_ANSWER_BYTES = 5 * 1024 * 1024;

/** How long what is kept, and what tests may change. */
export interface RedisDocumentsOptions {
  /** How long entries of the journal are kept, in milliseconds. */
  readonly journalKeepMs?: number | undefined;
  /** Instead of Redis's own. */
  readonly clock?: Clock;
  /** Bytes that all kept answers may have together. */
  readonly answerBytes?: number;
}

const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

/** Its version, its new text and its time, as the script takes them; what is only looked at stays as it is. */
const wordsOf = ({ was, value, forgetMs }: Change): string[] => [
  was.version ?? '',
  value === was.value && value !== undefined ? '-' : textOf(value),
  forgetMs === undefined ? '' : String(forgetMs),
];

function answerWords(answer: AnswerChange | undefined): string[] {
  const { text, forgetMs } = answer ?? {};
  const becomes = text !== undefined ? 'put' : forgetMs === 0 ? 'drop' : 'until';
  return [answer ? becomes : '', forgetMs ? String(forgetMs) : '', text ?? ''];
}

const entryWords = (entry: JournalEntry) => [JSON.stringify(entry), entry.network, owedBy(entry)];

function openWord(open: Commit['open']): string {
  if (!open) return '-';
  if (open.fromMs === undefined) return '';
  return Number.isFinite(open.fromMs) ? String(open.fromMs) : '+inf';
}

/**
 * The documents of all nodes. All keys share one hash tag and so, in a cluster, one server. Where data was lost, what this node is
 * settling is written down again before anything else is.
 */
export class RedisDocuments implements PaymentDocuments {
  readonly leaseMs = LEASE_MS;
  readonly #space: Keyspace;
  /** Dies with the documents. */
  readonly #epoch: Epoch;
  readonly #answerBytes: number;
  readonly #journalKeepMs: number;
  readonly #beat: NodeJS.Timeout;
  #reach: Reach = {};
  #restore: Parameters<PaymentDocuments['onLost']>[0] = async () => undefined;
  /** Whether what was lost has not been written down again yet. */
  #isLost = false;

  constructor(connection: RedisConnection, options: RedisDocumentsOptions = {}) {
    const { clock, answerBytes = PAYMENTS.answerBytes, journalKeepMs = JOURNAL_KEEP_MS } = options;
    this.#space = new Keyspace(connection, 'purchases', clock);
    this.#epoch = new Epoch(this.#space);
    this.#answerBytes = answerBytes;
    this.#journalKeepMs = journalKeepMs;
    const readEpoch = () => void this.#readEpoch(BACKGROUND_TIMEOUT).catch(() => undefined);
    connection.onConnect(readEpoch);
    this.#beat = setInterval(readEpoch, BEAT_MS).unref();
  }

  now(): number {
    return this.#space.now();
  }

  reach(): Reach {
    return this.#reach;
  }

  onLost(restore: Parameters<PaymentDocuments['onLost']>[0]): void {
    this.#restore = restore;
  }

  async read(names: readonly string[]): Promise<readonly Stored[]> {
    if (names.length === 0) return [];
    return documentsOf(names, (await this.#space.run({ script: READ, keys: names })) as string[]);
  }

  async commit(commit: Commit): Promise<Committed> {
    const { held } = this.#epoch;
    const epoch = held === undefined || this.#isLost ? await this.#readEpoch(REQUEST_TIMEOUT) : held;
    const committed =
      (await this.#commitUnder(epoch, commit)) ??
      (await this.#commitUnder(await this.#readEpoch(REQUEST_TIMEOUT), commit));
    if (!committed) throw new Error('the epoch has changed twice');
    return committed;
  }

  async answer(key: string): Promise<string | undefined> {
    const keys = ['answers', `answer:${key}`];
    const text = await this.#space.run({ script: ANSWER, keys, args: [key], timeout: timeoutFor(MAX_ANSWER_BYTES) });
    return typeof text === 'string' ? text : undefined;
  }

  /** Whether Redis writes documents down as it goes; nothing where it does not say. */
  isAppendOnly(): Promise<boolean | undefined> {
    return isAppendOnly(this.#space);
  }

  async owed(): Promise<ReadonlyMap<string, number>> {
    const networks = Object.values(NETWORKS);
    const found = (await this.#space.run({ script: OWED, args: networks, timeout: BACKGROUND_TIMEOUT })) as string[];
    return new Map(networks.map((network, index) => [network, Number(found[index])]));
  }

  async openKeys({ list = 'open', againMs = 0 }: OpenQuery = {}): Promise<readonly string[]> {
    return (await this.#space.run({ script: OPEN, keys: [list], args: [OPEN_AT_ONCE, againMs] })) as string[];
  }

  close(): void {
    clearInterval(this.#beat);
  }

  /** Nothing when the epoch is another one. */
  async #commitUnder(epoch: string, commit: Commit): Promise<Committed | undefined> {
    const version = randomBytes(8).toString('hex');
    const { changes, answer, open, journal = [] } = commit;
    const names = changes.map(({ was }) => was.name);
    const key = answer?.key ?? open?.key ?? '';
    const before = [
      epoch,
      version,
      key,
      openWord(open),
      ...answerWords(answer),
      this.#answerBytes,
      this.#journalKeepMs,
    ];
    const [verdict, ...rest] = (await this.#space.runWithRetry(() => ({
      script: COMMIT,
      keys: ['answers', 'sizes', open?.list ?? 'open', 'journal', ...names],
      args: [...before, ...changes.flatMap(wordsOf), ...journal.flatMap(entryWords)],
      timeout: timeoutFor(Buffer.byteLength(answer?.text ?? '')),
    }))) as string[];
    if (verdict === 'other epoch') return undefined;
    if (verdict === 'changed') return { isWritten: false, now: documentsOf(names, rest) };
    const [bornAt, lostAt] = rest;
    this.#reach = { sinceMs: Number(bornAt), ...(lostAt && { lostAtMs: Number(lostAt) }) };
    return { isWritten: true, now: changes.map((change) => written(change, version)) };
  }

  /** Where documents were lost, what this node is settling is written down again. */
  async #readEpoch(timeout: ReplyTimeout): Promise<string> {
    const before = this.#epoch.held;
    const now = await this.#epoch.read(timeout);
    this.#isLost ||= before !== undefined && before !== now;
    if (this.#isLost) await this.#restore((commit) => this.#commitAfterLoss(now, commit));
    this.#isLost = false;
    return now;
  }

  async #commitAfterLoss(epoch: string, commit: Commit): Promise<Committed> {
    const committed = await this.#commitUnder(epoch, commit);
    if (!committed) throw new Error('the epoch has changed again');
    return committed;
  }
}

const written = ({ was: { name, ...was }, value }: Change, version: string): Stored => {
  if (value === was.value) return { name, ...was };
  return { name, version: value === undefined ? undefined : version, value };
};

/** Documents from what a script answers: version and text of each in turn. */
function documentsOf(names: readonly string[], flat: readonly string[]): Stored[] {
  return names.map((name, index) => {
    const [version = '', text = ''] = flat.slice(2 * index);
    return version === '' ? { name, version: undefined, value: undefined } : { name, version, value: JSON.parse(text) };
  });
}
