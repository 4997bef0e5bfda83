import { readFileSync } from 'node:fs';
import { readConfig, startGateway } from '@asset-gateway/gateway';
import Connection from 'libsql';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Background, type BackgroundFailure, TASKS } from '../../packages/gateway/src/background.ts';
import { LocalRecords, localClocks } from '../../packages/gateway/src/budget/local-records.ts';
import { closeAll, closeInTime, openTogether } from '../../packages/gateway/src/closing.ts';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import { createLog, prettyLine } from '../../packages/gateway/src/log.ts';
import type { Chain } from '../../packages/gateway/src/payments/facilitator/chain.ts';
import type { Facilitator } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { Reconciler } from '../../packages/gateway/src/payments/reconcile.ts';
import { CoveredWatch } from '../../packages/gateway/src/sales/covered-watch.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { makeFolder } from '../kit/folder.ts';
import { JOURNAL_KEEP_MS, newPayment, openSqliteLedger } from '../kit/ledger.ts';
import { standIn } from '../kit/stand-in.ts';
import { scrape } from './scrape.ts';

afterEach(() => void vi.useRealTimers());

const down = new Error('the disk is gone', { cause: new Error('input/output error') });
const fail = () => Promise.reject(down);

describe('failures of background work', () => {
  it('are reported at most once a minute for each task, with their number', async () => {
    let nowMs = 0;
    const reports: BackgroundFailure[] = [];
    const background = new Background(() => nowMs);
    background.listen((failure) => reports.push(failure));
    for (nowMs of [0, 1_000, 59_999, 60_000, 119_999, 120_000]) await background.run('retention', fail);
    await background.run('slots', fail);
    const said = reports.map(({ task, failures }) => `${task} ${failures}`);
    expect(said).toEqual(['retention 1', 'retention 3', 'retention 2', 'slots 1']);
    expect(reports[0]?.error).toBe(down);
    expect([background.counts.get('retention'), background.counts.get('slots')]).toEqual([6, 1]);
  });

  it('are reported when the log opens if they happened before', async () => {
    const reports: BackgroundFailure[] = [];
    const background = new Background();
    await background.run('leases', fail);
    background.listen((failure) => reports.push(failure));
    expect(reports).toEqual([{ task: 'leases', error: down, failures: 1 }]);
  });

  it('are logged with their causes and without secrets', () => {
    const lines: string[] = [];
    const log = createLog('info', ['input/output'], { write: (line) => lines.push(line) });
    log.background({ task: 'retention', error: down, failures: 3 });
    const line = JSON.parse(lines[0] ?? '');
    expect(line).toMatchObject({ level: 50, msg: 'background work failed', task: 'retention', failures: 3 });
    expect(line.reason).toMatch(/^Error: the disk is gone\n[\s\S]*\ncaused by Error: \[secret\] error\n/);
    const pretty = 'background work failed: retention: Error: the disk is gone\ncaused by Error: [secret] error\n';
    expect(prettyLine(lines[0] ?? '').replace(/^\S+ {2}/, '')).toBe(pretty);
  });

  it('do not end repeated work, which never runs twice at once', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const background = new Background();
    let [running, most, runs] = [0, 0, 0];
    const unfinished: (() => void)[] = [];
    const finish = () => unfinished.pop()?.();
    const work = background.every('slots', 1_000, async () => {
      runs++;
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => unfinished.push(resolve));
      running--;
      throw down;
    });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(runs).toBe(1);
    finish();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([runs, most, background.counts.get('slots')]).toEqual([2, 1, 1]);
    const closing = work.close();
    finish();
    await closing;
    await vi.advanceTimersByTimeAsync(5_000);
    // What closing cuts off is not a failure.
    expect([runs, background.counts.get('slots')]).toEqual([2, 1]);
  });

  it('have a line in docs/metrics.md for each task', () => {
    const [, section = ''] = readFileSync('docs/metrics.md', 'utf8').split(/^## Background work$/m);
    const lines = section.split(/^## /m)[0]?.matchAll(/^- `(\w+)`: .+\. .+\.$/gm);
    expect(Array.from(lines ?? [], ([, task]) => task)).toEqual([...TASKS]);
  });
});

describe('background work counts its failures:', () => {
  /** A ledger whose database has failed since. */
  async function broken() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const background = new Background();
    const ledger = await openSqliteLedger();
    let isDown = false;
    const unlessDown = <T>(work: () => Promise<T>): Promise<T> => (isDown ? fail() : work());
    const { dialect } = ledger.database;
    const database: typeof ledger.database = {
      dialect,
      now: () => ledger.database.now(),
      wallAt: (ms) => ledger.database.wallAt(ms),
      clock: () => unlessDown(() => ledger.database.clock()),
      isReady: () => !isDown,
      read: (statement) => unlessDown(() => ledger.database.read(statement)),
      report: (statement) => unlessDown(() => ledger.database.report(statement)),
      write: (step) => unlessDown(() => ledger.database.write(step)),
      close: async () => undefined,
    };
    const money = openMoney(database, JOURNAL_KEEP_MS, undefined, background);
    const payment = newPayment();
    await money.payments.reserve(payment);
    onTestFinished(async () => {
      isDown = false;
      await money.close();
      await ledger.close();
    });
    return {
      ...{ background, database, money, payment },
      breakNow() {
        isDown = true;
      },
      count: (task: (typeof TASKS)[number]) => background.counts.get(task) ?? 0,
    };
  }

  it('retention and the renewal of leases', async () => {
    const { breakNow, count } = await broken();
    expect([count('retention'), count('leases')]).toEqual([0, 0]);
    breakNow();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(count('retention')).toBe(1);
    expect(count('leases')).toBeGreaterThan(0);
  });

  it('the release of a reservation, and the note of a delivery', async () => {
    const { breakNow, count, money, payment } = await broken();
    breakNow();
    await money.payments.release(payment.key, payment.owner, false);
    money.payments.delivered(payment.key);
    money.accounts.delivered('debit');
    await vi.advanceTimersByTimeAsync(0);
    expect([count('releases'), count('deliveries')]).toEqual([1, 2]);
  });

  it('the reconciler, for its list and for each payment', async () => {
    const { breakNow, count, money, payment } = await broken();
    await money.payments.beginSettlement(payment.key, payment.owner, {
      answer: '{}',
      signature: 'signature',
      height: 7,
    });
    await money.payments.resolve(payment.key, { outcome: 'unknown', signature: 'signature' }, payment.owner);
    const chains = new Map([[payment.network, standIn<Chain>({ finalized: fail })]]);
    const { payments } = money;
    const reconciler = new Reconciler({ payments, facilitator: {} as Facilitator, chains, crypto: nodeCrypto });
    await vi.advanceTimersByTimeAsync(2_000);
    while (count('reconciliation') === 0) await new Promise(setImmediate);
    expect(count('reconciliation')).toBe(1);
    breakNow();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(count('reconciliation')).toBe(2);
    await reconciler.close();
  });

  it('the search for covered payments', async () => {
    const { breakNow, count, background, database } = await broken();
    breakNow();
    const watch = new CoveredWatch({ database, payees: async () => [], background });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(count('covered_payments')).toBe(2);
    await watch.close();
  });

  it('slots on disk', async () => {
    const { breakNow, count, background, database } = await broken();
    const records = new LocalRecords(database, localClocks(Date.now), background);
    breakNow();
    await vi.advanceTimersByTimeAsync(500);
    expect(count('slots')).toBe(1);
    await expect(records.close()).rejects.toThrow('the disk is gone');
  });
});

describe('a gateway whose file lacks a table', () => {
  it('counts and logs the failure, and closes everything although a part cannot be closed', async () => {
    const folder = makeFolder();
    const lines: string[] = [];
    const config = readConfig({ DATA_DIR: folder, TOKENS_API_KEY: 'a-key', PORT: '0', METRICS_PORT: '0' });
    const gateway = await startGateway(config, { logTo: { write: (line) => lines.push(line) } });
    const failures = async () =>
      (await scrape(gateway)).sum('asset_gateway_background_failures_total', { task: 'slots' });
    expect(await failures()).toBe(0);
    const other = new Connection(sqliteIn(folder));
    other.exec('alter table admissions rename to elsewhere');
    await vi.waitFor(async () => expect(await failures()).toBeGreaterThan(1), 10_000);
    const logged = lines.map((line) => JSON.parse(line)).filter(({ task }) => task === 'slots');
    expect(logged).toEqual([expect.objectContaining({ reason: expect.stringContaining('no such table: admissions') })]);
    await expect(gateway.stop()).rejects.toThrow('no such table: admissions');
    other.exec('alter table elsewhere rename to admissions');
    other.close();
    // The lock of the folder was released.
    await (await startGateway(config, { logTo: { write: () => undefined } })).stop();
  });
});

describe('a gateway in this process', () => {
  const TOKENS = { TOKENS_API_KEY: 'a-key', PORT: '0' };

  it('stops in 8 s after its last call, though its database never closes', async () => {
    const config = readConfig({ ...TOKENS, DATA_DIR: makeFolder() });
    const gateway = await startGateway(config, { logTo: { write: () => undefined }, graceMs: 0 });
    const { close } = SqliteDatabase.prototype;
    let closeLater = async (): Promise<void> => undefined;
    const closing = vi.spyOn(SqliteDatabase.prototype, 'close').mockImplementationOnce(function (this: SqliteDatabase) {
      closeLater = () => close.call(this);
      return new Promise(() => undefined);
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ended = vi.fn();
    const stopped = gateway.stop().catch(ended);
    await vi.waitFor(() => expect(closing).toHaveBeenCalled());
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(8_000);
    await stopped;
    expect(String(ended.mock.lastCall?.[0])).toMatch(/^Error: not closed within/);
    closing.mockRestore();
    await closeLater();
  });

  it('says in one line that Redis does not answer at its start, and what to check', async () => {
    const lines: string[] = [];
    const redis = { REDIS_URL: 'redis://127.0.0.1:1', GATEWAY_SECRET: 'a'.repeat(32) };
    const logTo = { write: (line: string) => void lines.push(line) };
    const gateway = await startGateway(readConfig({ ...TOKENS, ...redis }), { logTo });
    await gateway.stop();
    const said = lines.filter((line) => line.includes('Redis')).map((line) => JSON.parse(line));
    const msg = expect.stringMatching(/^Redis does not answer \(.*ECONNREFUSED.*REDIS_URL/);
    expect(said).toEqual([expect.objectContaining({ level: 40, msg })]);
  });
});

describe('closing parts', () => {
  const recorded = () => {
    const closed: string[] = [];
    const part = (name: string, error?: Error) => ({
      async close() {
        closed.push(name);
        if (error) throw error;
      },
    });
    return { closed, part };
  };

  it('closes the last first, and goes on after a rejection', async () => {
    const { closed, part } = recorded();
    await expect(closeAll([part('a'), part('b', down), part('c')])).rejects.toBe(down);
    expect(closed).toEqual(['c', 'b', 'a']);
  });

  it('reports several rejections together', async () => {
    const { closed, part } = recorded();
    const another = new Error('another');
    await expect(closeAll([part('a', another), part('b', down)])).rejects.toMatchObject({ errors: [down, another] });
    expect(closed).toEqual(['b', 'a']);
  });

  it('ends in 8 s with an error that says what follows, though a part never closes', async () => {
    vi.useFakeTimers();
    const ends = vi.fn();
    const stuck = closeInTime({ close: () => new Promise(() => undefined) }).catch(ends);
    await vi.advanceTimersByTimeAsync(7_999);
    expect(ends).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await stuck;
    vi.useRealTimers();
    expect(ends).toHaveBeenCalledWith(new Error('not closed within 8 s; the next start recovers as after a crash'));
  });

  it('ends at once if the part does, with the failure of the part if there is one', async () => {
    const { closed, part } = recorded();
    await closeInTime(part('a'));
    await expect(closeInTime(part('b', down))).rejects.toBe(down);
    expect(closed).toEqual(['a', 'b']);
  });

  it('closes the open parts if a later part does not open, and reports why', async () => {
    const { closed, part } = recorded();
    const cannot = new Error('cannot open');
    const opened = openTogether(async (hold) => {
      hold(part('a'));
      hold(part('b', down));
      throw cannot;
    });
    await expect(opened).rejects.toBe(cannot);
    expect(closed).toEqual(['b', 'a']);
  });
});
