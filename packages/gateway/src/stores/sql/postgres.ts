import { type Clock, FollowedClock, monotonicMs } from '../clock.ts';
import { type Database, POSTGRES, type Row, type Statement, type Step, type Value } from './database.ts';
import {
  CONNECT_MS,
  databaseUrls,
  isOfConnection,
  isQueueFull,
  loadServers,
  type PostgresServer,
  QUERY_MS,
  type Query,
  queryOf,
  stepQuery,
} from './postgres-server.ts';

export interface PostgresOptions {
  /** May have several hosts, separated by commas, which are tried in turn. */
  readonly url: string;
  /** Replaces the server's clock, for tests. */
  readonly clock?: Clock | undefined;
}

const BEAT_MS = 500;

/** Answers the clock that never goes back, and the server's own. It writes, so it fails on a standby. */
const BEAT = queryOf(`update clock set ahead_ms = ahead_ms + greatest(0, last_ms - ms), last_ms = ms
  from (select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms) as server
  where id = 1 returning last_ms + ahead_ms as now_ms, last_ms as server_ms`);

/**
 * A PostgreSQL database, for any number of gateways. While the server is unavailable, requests reject at once, and the gateway retries
 * twice a second.
 */
export class PostgresDatabase implements Database {
  readonly dialect = POSTGRES;
  readonly #newServer: () => PostgresServer;
  readonly #options: PostgresOptions;
  readonly #clock = new FollowedClock();
  readonly #serverClock = new FollowedClock();
  readonly #queries = new Map<string, Query>();
  #server: PostgresServer;
  #beat: NodeJS.Timeout | undefined;
  #isReady = false;
  /** Whether the outage is logged. */
  #isLost = false;
  #isMigrated = false;
  #isClosed = false;
  #notice: (message: string) => void = () => undefined;

  private constructor(newServer: () => PostgresServer, options: PostgresOptions) {
    this.#newServer = newServer;
    this.#server = newServer();
    this.#options = options;
  }

  /** Loads the client library. Nothing is connected before `connect`. */
  static async load(options: PostgresOptions): Promise<PostgresDatabase> {
    return new PostgresDatabase(await loadServers(databaseUrls(options.url)), options);
  }

  /** Connects and migrates the schema. Rejects with an error of the server; retries while the server does not answer. */
  async connect(notice: (message: string) => void = () => undefined): Promise<void> {
    this.#notice = notice;
    const hosts = databaseUrls(this.#options.url).length;
    for (let host = 1; host <= hosts && !this.#isReady; host++) {
      await this.#follow().catch((error) => {
        if (!isOfConnection(error)) throw error;
        this.#leaveServer();
        if (host === hosts) this.#sayLost(error);
      });
    }
    this.#followIn(BEAT_MS);
  }

  /** A setting of the server, such as `synchronous_commit`. */
  async setting(name: string): Promise<string> {
    const [row] = await this.read({ sql: 'select current_setting($1) as value', values: [name] });
    return String(row?.value);
  }

  now(): number {
    return this.#options.clock?.() ?? this.#clock.now();
  }

  isReady(): boolean {
    return this.#isReady;
  }

  read({ sql, values = [] }: Statement): Promise<readonly Row[]> {
    return this.#ask(this.#query(sql, queryOf), values);
  }

  report({ sql, values = [] }: Statement): Promise<readonly Row[]> {
    return this.#server.report(sql, values);
  }

  async write(step: Step): Promise<Row | undefined> {
    const statements = [step.guard, ...(step.changes ?? [])];
    const query = this.#query(statements.map(({ sql }) => sql).join(';'), () => stepQuery(step));
    const values = statements.flatMap((statement) => statement.values ?? []);
    // A server that was stopped reads old statements when it continues.
    const deadlineMs = this.#serverClock.now() + CONNECT_MS + QUERY_MS;
    const [row] = await this.#ask(query, [...values, Math.ceil(deadlineMs)]);
    return row;
  }

  note(guard: Statement): Promise<unknown> {
    return this.write({ guard });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#beat);
    await this.#server.close();
  }

  #query(key: string, queryFrom: (key: string) => Query): Query {
    const query = this.#queries.get(key) ?? queryFrom(key);
    this.#queries.set(key, query);
    return query;
  }

  async #ask(query: Query, values: readonly Value[]): Promise<readonly Row[]> {
    if (!this.#isReady) throw new Error('PostgreSQL does not answer');
    try {
      return await this.#server.ask(query, values);
    } catch (error) {
      if (isOfConnection(error) && !isQueueFull(error)) this.#lose(error);
      throw error;
    }
  }

  #lose(error: unknown): void {
    if (!this.#isReady) return;
    this.#isReady = false;
    this.#sayLost(error);
    this.#followIn(0);
  }

  #sayLost(error: unknown): void {
    this.#isLost = true;
    this.#notice(`PostgreSQL does not answer (${(error as Error).message}); paid requests are refused until it does`);
  }

  #followIn(milliseconds: number): void {
    clearTimeout(this.#beat);
    if (!this.#isClosed) this.#beat = setTimeout(() => void this.#keepFollowing(), milliseconds).unref();
  }

  /** Reads the server's clock, and tries the next host if it does not answer. Never rejects. */
  async #keepFollowing(): Promise<void> {
    await this.#follow().catch((error) => {
      this.#lose(error);
      this.#leaveServer();
    });
    this.#followIn(BEAT_MS);
  }

  /** Switches to the next host. */
  #leaveServer(): void {
    const left = this.#server;
    this.#server = this.#newServer();
    left.close().catch(() => undefined);
  }

  async #follow(): Promise<void> {
    if (!this.#isMigrated) await this.#server.migrate();
    this.#isMigrated = true;
    const askedAtMs = monotonicMs();
    const [row] = await this.#server.ask(BEAT, []);
    this.#clock.follow(Number(row?.now_ms), askedAtMs);
    this.#serverClock.follow(Number(row?.server_ms), askedAtMs);
    if (this.#isLost) this.#notice('PostgreSQL answers again');
    this.#isLost = false;
    this.#isReady = true;
  }
}
