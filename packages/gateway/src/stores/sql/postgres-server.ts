import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { type AtomicWrite, isCreatedMeanwhile, type SqlRow, type SqlValue } from './database.ts';
import { CHANGES_TABLE, missingChanges, NOTE_CHANGE, SCHEMA_STATE, type SchemaState, SchemaTooNew } from './schema.ts';

const PROTOCOLS = ['postgres:', 'postgresql:'];

/** The values of `sslmode` that the driver reads as `verify-full`, with a warning about its next version. */
const CHECKED = ['prefer', 'require', 'verify-ca'];

function isDatabaseUrl({ protocol, hostname, pathname }: URL): boolean {
  return PROTOCOLS.includes(protocol) && hostname !== '' && pathname.length > 1;
}

/**
 * Returns one URL for each host in libpq's parameter `host`, where a host may be a folder of sockets. Without this parameter, returns the
 * URL itself.
 */
function perNamedHost(url: URL): URL[] {
  const ports = url.searchParams.get('port')?.split(',') ?? [];
  return (url.searchParams.get('host')?.split(',') ?? ['']).map((host, at) => {
    const one = new URL(url);
    const port = ports[at] ?? ports[0];
    if (host !== '') one.searchParams.set('host', host);
    if (port !== undefined) one.searchParams.set('port', port);
    const mode = one.searchParams.get('sslmode') ?? '';
    const isCompatible = one.searchParams.get('uselibpqcompat') === 'true';
    if (CHECKED.includes(mode) && !isCompatible) one.searchParams.set('sslmode', 'verify-full');
    return one;
  });
}

/**
 * Splits a PostgreSQL URL with several hosts, separated by commas, into one URL per host. Returns no URL if the text is no such URL. As in
 * libpq, the parameter `host` may name the hosts instead. A `%` that begins no escape stands for itself.
 */
export function databaseUrls(given: string): string[] {
  const text = given.replace(/%(?![0-9a-f]{2})/gi, '%25');
  const start = text.indexOf('://') + '://'.length;
  const [authority = ''] = text.slice(start).split(/[/?]/, 1);
  const hostsAt = start + authority.lastIndexOf('@') + 1;
  const end = start + authority.length;
  const hosts = text.slice(hostsAt, end).split(',');
  const isNamed = /[?&]host=[^&]/.test(text.slice(end));
  const urls = hosts.map(
    (host) => text.slice(0, hostsAt) + (host === '' && isNamed ? 'localhost' : host) + text.slice(end),
  );
  if (!urls.every((url) => URL.canParse(url) && isDatabaseUrl(new URL(url)))) return [];
  return urls.flatMap((url) => perNamedHost(new URL(url))).map(({ href }) => href);
}

/** The time-out of a connection, in milliseconds. */
export const CONNECTION_MS = 400;
/** The time-out of a query, in milliseconds, without the time for its bytes. */
const QUERY_MS = 400;
/** Time-outs of large answers assume a network of at least 10 MB/s. */
const BYTES_PER_MS = 10_000;
const HEARTBEAT_MS = 200;
const REPORT_MS = 20_000;
/**
 * SQL that sets up a session. Writes need this isolation level, so the role's default must not apply. The server cancels statements for
 * which nodes no longer wait.
 */
const SESSION = `set default_transaction_isolation = 'read committed';
  set statement_timeout = 2000; set lock_timeout = 250; set idle_in_transaction_session_timeout = 5000`;
/** SQL that lifts the limits. Behind a pooler, a connection may carry another session's limits. */
const WITHOUT_LIMITS = 'set local statement_timeout = 0; set local lock_timeout = 0';
const CONNECTIONS = 10;
/** The codes of a lost connection: Node's, and PostgreSQL's for an administrator's command. */
const LOST = ['ECONNRESET', 'EPIPE', '57P01', '57P02'];
/**
 * Codes of a write that the server has rolled back because of concurrent writes: a serialization conflict, or a
 * deadlock.
 */
const UNDONE = ['40001', '40P01'];
const LOCK_TIMEOUT = '55P03';
/** How often a write is sent, at most. */
const ATTEMPTS = 5;
/** The longest pause between two attempts, in milliseconds. */
const MOST_PAUSE_MS = 20;
/** The codes for a prepared statement whose connection a pooler has changed. */
const NOT_PREPARED = ['26000', '42P05'];
const BIGINT = 20;
const TIMESTAMPTZ = 1184;

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error('an amount is too large');
  return value;
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [BIGINT]: safeInteger,
  [TIMESTAMPTZ]: (text) => new Date(text).toISOString(),
};

/** A named statement, which the server prepares once per connection. */
export interface Query {
  readonly name: string;
  readonly text: string;
}

export const namedStatement = (text: string): Query => ({
  name: createHash('sha256').update(text).digest('hex').slice(0, 32),
  text,
});

/** Returns a write as one statement, so that no transaction stays open between round trips. Its last parameter is its deadline. */
export function writeQuery({ condition, changes = [] }: AtomicWrite): Query {
  let count = condition.values?.length ?? 0;
  const others = changes.map(({ sql, values = [] }, index) => {
    const before = count;
    const numbered = sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`);
    const text = numbered.replaceAll('{condition holds}', 'exists (select 1 from condition)');
    count += values.length;
    return `s${index} as (${text.replaceAll('{condition.id}', '(select id from condition)')})`;
  });
  const joins = changes.flatMap(({ sql }, index) =>
    sql.includes(' returning ') ? [`left join s${index} on true`] : [],
  );
  const inTime = condition.sql.replaceAll('{in time}', `clock_timestamp() < to_timestamp($${count + 1} / 1000.0)`);
  return namedStatement(
    `with ${[`condition as (${inTime})`, ...others].join(', ')} select * from condition ${joins.join(' ')}`,
  );
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

const isLost = (error: unknown): boolean =>
  LOST.includes(codeOf(error)) || (error as Error).message === 'Connection terminated unexpectedly';

/** Matches the codes for a certificate that is not trusted. */
const UNTRUSTED = /CERT|^UNABLE_TO/;
/** Matches the codes of PostgreSQL's own errors. */
const OF_SERVER = /^(?!E[A-Z]{4})[0-9A-Z]{5}$/;
/**
 * Matches the codes that mean that the server is unavailable: a shutdown (57), no connection behind a pooler (08), too many connections, a
 * standby.
 */
const OF_CONNECTION = /^(?:57|08|53300|25006)/;

/** Whether the error means that the server is unavailable. Other errors reject only this statement or this node. */
export function isOfConnection(error: unknown): boolean {
  if (error instanceof SchemaTooNew) return false;
  const code = codeOf(error);
  return OF_SERVER.test(code) ? OF_CONNECTION.test(code) : !UNTRUSTED.test(code);
}

/** Whether an error is a time-out. A slow network, a busy machine or a full connection pool can cause one. */
export const isLate = (error: unknown): boolean => /time-?out/i.test((error as Error).message) && codeOf(error) === '';

/** Returns how long a query may take, in milliseconds. `bytes`: those of its parameters and its answer. */
export const queryMs = (bytes: number): number => QUERY_MS + bytes / BYTES_PER_MS;

/** The connections to one server: for requests, for reports, and one for heartbeats. */
type ServerPools = Readonly<Record<'requests' | 'reports' | 'heartbeat', Pool>>;

/** A PostgreSQL server, with its connections. */
export class PostgresServer {
  readonly #connections: ServerPools;
  /** Whether statements are prepared. They are not behind a pooler that does not support this. */
  #isPrepared = true;

  constructor(connections: ServerPools) {
    this.#connections = connections;
  }

  /** Sends a heartbeat, which shows whether the server answers. */
  beat(query: Query, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.ask(query, values, HEARTBEAT_MS, this.#connections.heartbeat);
  }

  /**
   * Sends a query. Sends it again if its connection was lost or had not prepared it, or if the server rolled it back. Its effect still
   * happens at most once.
   */
  async ask(query: Query, values: readonly SqlValue[], waitMs: number, pool = this.#connections.requests) {
    let isLast = false;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(pool, query, values, waitMs);
      } catch (error) {
        const code = codeOf(error);
        if (isLast || attempt >= ATTEMPTS) throw error;
        if (NOT_PREPARED.includes(code)) this.#isPrepared = false;
        else if (isLost(error) || code === LOCK_TIMEOUT) isLast = true;
        else if (UNDONE.includes(code)) await pause(Math.random() * MOST_PAUSE_MS);
        else throw error;
      }
    }
  }

  async #send(
    pool: Pool,
    { name, text }: Query,
    values: readonly SqlValue[],
    waitMs: number,
  ): Promise<readonly SqlRow[]> {
    const client = await pool.connect();
    let isUsable = true;
    try {
      const options = { query_timeout: waitMs, ...(this.#isPrepared && { name }) };
      const query = { text, values: [...values], ...options };
      return (await client.query<Record<string, SqlValue>>(query)).rows;
    } catch (error) {
      // A connection whose answer is still outstanding would give that answer to the next query.
      isUsable = !isOfConnection(error);
      throw error;
    } finally {
      client.release(!isUsable);
    }
  }

  async report(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return (await this.#connections.reports.query<Record<string, SqlValue>>(sql, [...values])).rows;
  }

  /** Migrates the schema, one node at a time. Rejects if a later version has made a schema that this version cannot use. */
  async migrate(isSecondTry = false): Promise<void> {
    const client = await this.#connections.reports.connect();
    try {
      await client.query(`begin isolation level read committed; ${WITHOUT_LIMITS}`);
      await applyMissing(client);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      if (isCreatedMeanwhile(error) && !isSecondTry) return this.migrate(true);
      throw error;
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#connections).map((pool) => pool.end()));
  }
}

async function missingIn(client: PoolClient) {
  const { rows } = await client.query<SchemaState>(SCHEMA_STATE);
  return rows.flatMap((state) => missingChanges(state));
}

async function applyMissing(client: PoolClient): Promise<void> {
  const { rows: tables } = await client.query("select to_regclass('schema_changes') as name");
  if (tables[0]?.name === null) await client.query(CHANGES_TABLE);
  if ((await missingIn(client)).length === 0) return;
  // Waits for a node that applies changes. Only roles with write access to the table can take this lock.
  await client.query('lock table schema_changes in share row exclusive mode');
  for (const change of await missingIn(client)) {
    await client.query(change.postgres);
    await client.query(NOTE_CHANGE, [change.number, change.worksWith]);
  }
}

/**
 * Loads the client library. Returns a function that opens the next server at each call. The server connects at its first query.
 * `connectMs`: the time-out of that connection, which is short if requests wait for it.
 */
export async function loadServers(urls: readonly string[], connectMs = CONNECTION_MS): Promise<() => PostgresServer> {
  const { default: pg } = await import('pg');
  const types = { getTypeParser: (oid: number) => PARSERS[oid] ?? pg.types.getTypeParser(oid) };
  const newPool = (more: PoolConfig): Pool => {
    const settings = { connectionTimeoutMillis: connectMs, application_name: 'asset-gateway', keepAlive: true };
    const pool = new pg.Pool({ ...settings, types: types as NonNullable<PoolConfig['types']>, ...more });
    // If a connection breaks while it is idle, the next query reports it.
    pool.on('connect', (client) => void client.on('error', () => undefined));
    return pool.on('error', () => undefined);
  };
  let opened = 0;
  return () => {
    const connectionString = urls[opened++ % urls.length] ?? '';
    const [requests, heartbeat] = [CONNECTIONS, 1].map((max) => {
      const pool = newPool({ connectionString, max });
      // The first query waits for this statement and reports its failure.
      return pool.on('connect', (client) => void client.query(SESSION).catch(() => undefined));
    }) as [Pool, Pool];
    const reports = { connectionString, max: 2, query_timeout: REPORT_MS, idleTimeoutMillis: 1_000 };
    return new PostgresServer({ requests, heartbeat, reports: newPool(reports) });
  };
}
