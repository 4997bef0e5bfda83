import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigner } from '@asset-gateway/client/node';
import { HEADERS } from '@asset-gateway/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { sleep } from '../budget/history.ts';
import { openRichWallet, paymentFor, signatureFor } from '../credit/gateway.ts';
import { freePort } from '../http/ports.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { noteTime, ownTime } from '../kit/event-loop.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteWith } from '../kit/optional.ts';
import { askPostgres, type PostgresServer, postgresSuite, runPostgresProgram, startPostgres } from '../kit/postgres.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import { CANARY_KEY, startSellingGateway } from '../kit/test-gateway.ts';
import { signedHeader } from '../kit/wallet.ts';
import { chargedIn, newPath, type Reply, until } from '../payments/fault-buyer.ts';
import { askOnce as ask, openGatewaySeries } from '../payments/fault-process.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { newPath as newFreePath } from '../redis/asking.ts';

type Kind = 'purchase' | 'debit';

/** A paid request, and its answer; undefined if the connection broke. Times are on this process's clock. */
interface Asked {
  readonly kind: Kind;
  readonly wallet: Wallet;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly reply: Reply | undefined;
  /** The answer to the same request, sent again. */
  later?: Reply | undefined;
}

const WALLETS = isFull ? 10 : 4;
/** The delay of a busy machine is measured with a request that needs no database. */
const [REFUSED_MS, SERVED_MS, CONTROL_MS] = [1_000, 2_000, isFull ? 50 : 100];
/** Between requests of a wallet; after a refusal as well; and until one that has no outcome is sent again. */
const [PAUSE_MS, REFUSED_PAUSE_MS, AGAIN_MS] = [isFull ? 100 : 250, 200, 500];
/** Longer than the lease of a settlement and the next look at it. */
const LAPSED_MS = 30_000;
/** Longer than the lease of a payment and of a hold. */
const DECIDED_MS = 45_000;

const report = (text: string) => void process.stdout.write(`${text}\n`);

const statusOf = (reply: Reply | undefined): string =>
  reply ? `${reply.status} ${reply.code} ${reply.headers.get('retry-after') ?? ''}`.trim() : 'no answer';

/** Wallets that buy and spend at a gateway in its own process with this DATABASE_URL, and one more that only signs in. `booksUrl`: where the books are read. */
async function openLoad(databaseUrl: string, booksUrl: () => string = () => databaseUrl) {
  const upstream = await startTokensApi({ key: CANARY_KEY });
  const series = await openGatewaySeries({
    CREDIT: 'on',
    PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: CANARY_KEY,
    TOKENS_RATE_LIMIT_PER_MINUTE: '100000',
  });
  const { url } = await series.current();
  const { mainnet } = series.solana;
  const isSpender = (index: number) => index % 2 === 1;
  const wallets: Wallet[] = [];
  for (let index = 0; index < WALLETS; index++)
    wallets.push(isSpender(index) ? await openRichWallet(series) : await openWallet(series.solana));
  const asked: Asked[] = [];
  const free: { readonly status: string; readonly atMs: number }[] = [];
  const controls: { readonly sentMs: number; readonly answeredMs: number }[] = [];
  const signer = newSigner();
  let isStopped = true;
  let loops: Promise<unknown> = Promise.resolve();

  /** Each wallet either buys or spends, by signature and by payment in turn. */
  async function askOnce(wallet: Wallet, round: number): Promise<void> {
    const kind = isSpender(wallets.indexOf(wallet)) ? 'debit' : 'purchase';
    const isSigned = kind === 'debit' && round % 2 === 0;
    const path = newPath();
    const headers = isSigned ? await signatureFor(url, path, wallet) : await paymentFor(url + path, wallet, 'call');
    const sentMs = performance.now();
    const reply = await ask(url + path, headers);
    asked.push({ kind, wallet, path, headers, sentMs, answeredMs: performance.now(), reply });
    if (reply?.status !== 200) await sleep(REFUSED_PAUSE_MS);
  }

  /** Sends each request of a wallet that has no outcome again until it is answered, and answers how many they were. */
  async function askAgain(wallet: Wallet): Promise<number> {
    const open = asked.filter((each) => each.wallet === wallet && (each.later ?? each.reply)?.status !== 200);
    for (const each of open) {
      for (const endMs = performance.now() + DECIDED_MS; performance.now() < endMs; await sleep(AGAIN_MS)) {
        each.later = await ask(url + each.path, each.headers);
        if (each.later && ![409, 503].includes(each.later.status)) break;
      }
      expect({ [each.kind]: statusOf(each.later) }).toEqual({ [each.kind]: '200' });
    }
    return open.length;
  }

  async function askForFree(): Promise<void> {
    const path = url + newFreePath();
    const header = await signedHeader(path, {}, signer);
    const reply = await ask(path, { [HEADERS.signIn]: header });
    free.push({ status: statusOf(reply), atMs: performance.now() });
  }

  async function control(): Promise<void> {
    const sentMs = performance.now();
    await ask(`${url}/healthz`, {});
    controls.push({ sentMs, answeredMs: performance.now() });
    await sleep(CONTROL_MS);
  }

  const repeat = async (task: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; !isStopped; round++) {
      await task(round);
      await sleep(PAUSE_MS);
    }
  };

  /** How much longer than it should a request can have taken only because the machine was busy. */
  const busyMs = (fromMs: number, toMs: number): number => {
    const during = controls.filter(({ sentMs, answeredMs }) => sentMs < toMs && answeredMs > fromMs);
    return Math.max(0, ...during.map(({ sentMs, answeredMs }) => answeredMs - sentMs));
  };
  const ownMs = (fromMs: number, toMs: number): number => ownTime(fromMs, toMs) - busyMs(fromMs, toMs);

  return {
    /** Until `finish`, each wallet sends one request after the other. */
    start() {
      isStopped = false;
      const spending = wallets.map((wallet) => repeat((round) => askOnce(wallet, round)));
      loops = Promise.all([...spending, repeat(askForFree), repeat(control)]);
    },
    async finish() {
      isStopped = true;
      await loops;
    },
    /** Each paid request that was sent and answered since this time was refused, within a second; each free one was served. Waits for some. */
    async expectRefused(fromMs: number) {
      const since = () => asked.filter(({ sentMs }) => sentMs > fromMs);
      for (const kind of ['purchase', 'debit'] as const) {
        await until(() => since().some((each) => each.kind === kind), SERVED_MS * 5);
        const statuses = since()
          .filter((each) => each.kind === kind)
          .map(({ reply }) => statusOf(reply));
        expect({ [kind]: new Set(statuses) }).toEqual({ [kind]: new Set(['503 state_unavailable 2']) });
      }
      const waits = since().map(({ sentMs, answeredMs }) => ownMs(sentMs, answeredMs));
      report(`no refusal took longer than ${Math.ceil(Math.max(...waits))} ms`);
      expect(Math.max(...waits)).toBeLessThan(REFUSED_MS);
      const served = free.filter(({ atMs }) => atMs > fromMs).map(({ status }) => status);
      expect(new Set(served)).toEqual(new Set(['200']));
    },
    /** Resolves when both a purchase and a debit that were sent after this time are answered; expects that within two seconds. */
    async expectServedAfter(backMs: number) {
      const firstOf = (wanted: Kind) =>
        asked.find(({ kind, sentMs, reply }) => kind === wanted && sentMs > backMs && reply?.status === 200);
      for (const kind of ['purchase', 'debit'] as const) {
        while (!firstOf(kind) && performance.now() - backMs < DECIDED_MS) await sleep(20);
        const waitMs = ownMs(backMs, firstOf(kind)?.answeredMs ?? performance.now());
        report(`a ${kind} was answered ${Math.ceil(waitMs)} ms after the server was back`);
        expect({ [kind]: waitMs < SERVED_MS || waitMs }).toEqual({ [kind]: true });
      }
    },
    /** Repeats each request that has no outcome until it is answered, and compares the books with clients and chain. */
    async expectOneChargeEach() {
      const open = await Promise.all(wallets.map(askAgain));
      // A settlement that could not be recorded is answered, and recorded when its lease has lapsed.
      await until(async () => (await askPostgres(booksUrl(), 'select key from open_payments')).length === 0, LAPSED_MS);
      await expectBooksInOrder({ url: booksUrl() }, mainnet.transfers);
      const purchases = asked.filter(({ kind }) => kind === 'purchase').length;
      expect(mainnet.transfers).toHaveLength(purchases + WALLETS / 2);
      const spent = await askPostgres(booksUrl(), 'select wallet, spent_micro_usdc as spent from credit_balances');
      for (const { wallet, spent: micros } of spent) {
        const own = asked.filter((each) => each.wallet.address === wallet);
        const charged = own.reduce((sum, { reply, later }) => sum + chargedIn(later ?? reply), 0);
        expect({ wallet, spent: Number(micros) }).toEqual({ wallet, spent: charged });
      }
      expect(spent).toHaveLength(WALLETS / 2);
      const again = open.reduce((sum, each) => sum + each);
      report(
        `${asked.length} paid requests, ${again} sent again, ${mainnet.transfers.length} transfers, ${free.length} free requests`,
      );
      expect(new Set(free.map(({ status }) => status))).toEqual(new Set(['200']));
    },
    async close() {
      isStopped = true;
      await loops;
      await series.close();
      await upstream.close();
    },
  };
}

/** Each transaction takes a block, and after 150 the payments that wait meanwhile would have expired. */
const [WARM_MS, DOWN_MS, FROZEN_MS, TERMINATED_MS] = isFull ? [1_000, 2_000, 5_000, 3_000] : [500, 1_500, 2_000, 1_500];

noteTime();

postgresSuite('PostgreSQL with a standby, under wallets that buy and spend,', suite, { timeout: 1_200_000 });

function suite(): void {
  // The standby may miss several starts of the primary, and all that is written meanwhile.
  const primary = inSuite(() => startPostgres({ settings: { wal_keep_size: '512MB' } }));
  const standby = inSuite(() =>
    startPostgres({
      settings: { wal_retrieve_retry_interval: '500ms' },
      prepare: (data) => {
        const words = ['-D', data, '-d', primary.url(), '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'];
        runPostgresProgram('pg_basebackup', words);
      },
    }),
  );
  let [name, booksIn]: [string, PostgresServer] = ['', primary];
  beforeAll(async () => {
    name = await primary.createDatabase();
  });
  /** A DATABASE_URL with several hosts: the first writable one is used. */
  const urlOf = (...servers: readonly PostgresServer[]) =>
    `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}/${name}`;
  const load = inSuite(() => openLoad(urlOf(primary, standby), () => booksIn.url(name)));

  /** Under load the fault makes the server unusable and `mend` usable; afterwards each request has been answered and charged once. */
  async function during(fault: () => unknown, downMs: number, mend: () => unknown): Promise<void> {
    load.start();
    await sleep(WARM_MS);
    await fault();
    const sinceMs = performance.now();
    await sleep(downMs);
    await load.expectRefused(sinceMs);
    await mend();
    await load.expectServedAfter(performance.now());
    await sleep(WARM_MS);
    await load.finish();
    await load.expectOneChargeEach();
  }

  it('a gateway whose URL names the standby first serves from the primary', async () => {
    const gateway = await startSellingGateway({ DATABASE_URL: urlOf(standby, primary) });
    expect(gateway.logLines.join('')).not.toContain('PostgreSQL');
    await gateway.stop();
  });

  it('is killed and started: 503 meanwhile, 200 within two seconds, one charge each', async () => {
    for (let round = 0; round < roundsOnEach(20); round++) await during(primary.kill, DOWN_MS, primary.start);
  });

  it('is frozen and thawed: 503 meanwhile, 200 within two seconds, one charge each', () =>
    during(primary.freeze, FROZEN_MS, primary.thaw));

  it('ends its connections again and again: one charge each', async () => {
    load.start();
    await sleep(WARM_MS);
    let ended = 0;
    for (const endMs = performance.now() + TERMINATED_MS; performance.now() < endMs; await sleep(100)) {
      ended += await primary.endConnections();
    }
    expect(ended).toBeGreaterThan(10);
    await load.expectServedAfter(performance.now());
    await load.finish();
    await load.expectOneChargeEach();
  });

  it('fails over to a synchronous standby: 503 meanwhile, 200 within two seconds after, one charge each', async () => {
    await primary.query(`alter system set synchronous_standby_names = '*'`);
    await primary.query('select pg_reload_conf()');
    await until(async () => {
      const [row] = await primary.query('select sync_state from pg_stat_replication');
      return row?.sync_state === 'sync';
    });
    await during(primary.kill, DOWN_MS, async () => {
      expect(await standby.query('select pg_promote() as is_promoted')).toEqual([{ is_promoted: true }]);
      booksIn = standby;
    });
  });
}

/** Fewer connections to the server than the gateway opens, so that its statements change connections all the time. */
const POOL_SIZE = 3;
const [RUN_MS, KILLED_MS] = [1_500, 1_500];

/** As docs/operating/postgresql.md says, and without a password. */
const settingsFor = (server: PostgresServer, port: number): string => `
[databases]
* = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
server_login_retry = 1
`;

suiteWith('pgbouncer', 'with pgbouncer', (program) => {
  postgresSuite('PgBouncer in transaction mode, under wallets that buy and spend,', () => {
    const server = inSuite(startPostgres);
    let pooler: ChildProcess;
    let load: Awaited<ReturnType<typeof openLoad>>;
    let name: string;
    const folder = makeFolder();
    beforeAll(async () => {
      name = await server.createDatabase();
      const port = await freePort();
      const file = join(folder, 'pgbouncer.ini');
      writeFileSync(file, settingsFor(server, port));
      chmodSync(folder, 0o755);
      // It does not run as root.
      pooler = spawn(program, [file], { stdio: 'ignore', ...(process.getuid?.() === 0 && { uid: 65534, gid: 65534 }) });
      const url = `postgres://postgres@127.0.0.1:${port}/${name}`;
      await until(() =>
        askPostgres(url, 'select 1').then(
          () => true,
          () => false,
        ),
      );
      load = await openLoad(url, () => server.url(name));
    }, 120_000);
    afterAll(async () => {
      await load?.close();
      pooler.kill('SIGKILL');
      await once(pooler, 'exit');
      rmSync(folder, { recursive: true, force: true });
    });

    it('serves, refuses when the server is killed, and serves again: one charge each', {
      timeout: 120_000,
    }, async () => {
      load.start();
      await load.expectServedAfter(performance.now());
      await sleep(RUN_MS);
      const [row] = await server.query(`select count(*) as count from pg_stat_activity where datname = '${name}'`);
      expect(Number(row?.count)).toBeLessThanOrEqual(POOL_SIZE);
      await server.kill();
      const downMs = performance.now();
      await sleep(KILLED_MS);
      await load.expectRefused(downMs);
      await server.start();
      await load.expectServedAfter(performance.now());
      await load.finish();
      await load.expectOneChargeEach();
    });
  });
});
