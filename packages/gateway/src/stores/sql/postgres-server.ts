import { createHash } from 'node:crypto';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { POSTGRES, type Row, type Step, type Value } from './database.ts';
import { CHANGES_TABLE, missingChanges, NOTE_CHANGE, SCHEMA_STATE, SchemaTooNew } from './schema.ts';

const PROTOCOLS = ['postgres:', 'postgresql:'];

function isDatabaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return PROTOCOLS.includes(protocol) && hostname !== '' && pathname.length > 1;
}

/** Splits a PostgreSQL URL with several hosts, separated by commas, into one URL per host; empty if it is no such URL. */
export function databaseUrls(text: string): string[] {
  const start = text.indexOf('://') + '://'.length;
  const [authority = ''] = text.slice(start).split(/[/?]/, 1);
  const hostsAt = start + authority.lastIndexOf('@') + 1;
  const end = start + authority.length;
  const hosts = text.slice(hostsAt, end).split(',');
  const urls = hosts.map((host) => text.slice(0, hostsAt) + host + text.slice(end));
  return urls.every(isDatabaseUrl) ? urls : [];
}

/** Time-outs of a connection and of a query. */
export const [CONNECT_MS, QUERY_MS] = [400, 400];
const REPORT_MS = 20_000;
/** The server cancels statements that no node waits for any more. */
const SERVER_LIMITS = `set statement_timeout = 2000; set lock_timeout = 250; set idle_in_transaction_session_timeout = 5000`;
/** Behind a pooler a connection may have the limits of another one. */
const WITHOUT_LIMITS = 'set local statement_timeout = 0; set local lock_timeout = 0';
const CONNECTIONS = 10;
/** An arbitrary number that no other program locks. */
const SCHEMA_LOCK = 84_02;
/** Codes of a lost connection, by Node and by PostgreSQL (an administrator's command). */
const LOST = ['ECONNRESET', 'EPIPE', '57P01', '57P02'];
/** Codes of a step that the server has rolled back: a deadlock, or a lock time-out. */
const UNDONE = ['40P01', '55P03'];
/** Codes of a prepared statement that a pooler has sent to another connection. */
const NOT_PREPARED = ['26000', '42P05'];
const [BIGINT, TIMESTAMPTZ] = [20, 1184];

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
export const queryOf = (text: string) => ({
  name: createHash('sha256').update(text).digest('hex').slice(0, 32),
  text,
});

export type Query = ReturnType<typeof queryOf>;

/** A step as one statement, so that no transaction stays open between round trips. The last parameter is its deadline. */
export function stepQuery({ guard, changes = [] }: Step): Query {
  let count = guard.values?.length ?? 0;
  const others = changes.map(({ sql, values = [] }, index) => {
    const before = count;
    const numbered = sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`);
    const text = numbered.replaceAll('{guarded}', 'exists (select 1 from guard)');
    count += values.length;
    return `s${index} as (${text.replaceAll('{guard.id}', '(select id from guard)')})`;
  });
  const joins = changes.flatMap(({ sql }, index) =>
    sql.includes(' returning ') ? [`left join s${index} on true`] : [],
  );
  const inTime = guard.sql.replaceAll('{in time}', `clock_timestamp() < to_timestamp($${count + 1} / 1000.0)`);
  return queryOf(`with ${[`guard as (${inTime})`, ...others].join(', ')} select * from guard ${joins.join(' ')}`);
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

const isLost = (error: unknown): boolean =>
  LOST.includes(codeOf(error)) || (error as Error).message === 'Connection terminated unexpectedly';

/** The server's certificate is not trusted. */
const UNTRUSTED = /CERT|^UNABLE_TO/;
/** Codes of PostgreSQL's own errors. */
const OF_SERVER = /^(?!E[A-Z]{4})[0-9A-Z]{5}$/;
/** Shutdown (57), no connection behind a pooler (08), too many connections, or a standby. */
const OF_CONNECTION = /^(?:57|08|53300|25006)/;

/** Whether the server is unavailable, as opposed to rejecting this statement or this node. */
export function isOfConnection(error: unknown): boolean {
  if (error instanceof SchemaTooNew) return false;
  const code = codeOf(error);
  return OF_SERVER.test(code) ? OF_CONNECTION.test(code) : !UNTRUSTED.test(code);
}

/** Whether all connections are in use. The server may still answer. */
export const isQueueFull = (error: unknown): boolean =>
  (error as Error).message === 'timeout exceeded when trying to connect';

/** Connections to one server. */
export class PostgresServer {
  readonly #requests: Pool;
  readonly #reports: Pool;
  /** False behind a pooler that does not support prepared statements. */
  #isPrepared = true;

  constructor(requests: Pool, reports: Pool) {
    this.#requests = requests;
    this.#reports = reports;
  }

  /** Sends a query, again if its connection was lost or has not prepared it, or if it was rolled back. A step is written once. */
  ask(query: Query, values: readonly Value[]): Promise<readonly Row[]> {
    return this.#send(query, values).catch((error) => {
      if (NOT_PREPARED.includes(codeOf(error))) this.#isPrepared = false;
      else if (!isLost(error) && !UNDONE.includes(codeOf(error))) throw error;
      return this.#send(query, values);
    });
  }

  async #send({ name, text }: Query, values: readonly Value[]): Promise<readonly Row[]> {
    const client = await this.#requests.connect();
    let isUsable = true;
    try {
      const query = { text, values: [...values], ...(this.#isPrepared && { name }) };
      return (await client.query<Record<string, Value>>(query)).rows;
    } catch (error) {
      // A connection that owes an answer would give it to the next query.
      isUsable = !isOfConnection(error);
      throw error;
    } finally {
      client.release(!isUsable);
    }
  }

  async report(sql: string, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#reports.query<Record<string, Value>>(sql, [...values])).rows;
  }

  /** Migrates the schema, one node at a time. Rejects if a later version has made it. */
  async migrate(): Promise<void> {
    const client = await this.#reports.connect();
    try {
      await client.query(`begin; ${WITHOUT_LIMITS}`);
      await applyMissing(client);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.end(), this.#reports.end()]);
  }
}

async function applyMissing(client: PoolClient): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${SCHEMA_LOCK})`);
  const { rows: tables } = await client.query("select to_regclass('schema_changes') as name");
  if (tables[0]?.name === null) await client.query(CHANGES_TABLE);
  const { rows } = await client.query<{ number: number; works_with: number }>(SCHEMA_STATE);
  const [state] = rows;
  for (const change of missingChanges({ number: Number(state?.number), worksWith: Number(state?.works_with) })) {
    for (const statement of change.statements(POSTGRES)) await client.query(statement);
    await client.query(NOTE_CHANGE, [change.number, change.worksWith]);
  }
}

/**
 * Loads the client library. The answered function opens each server in turn, which connects on its first query. `connectMs` is how long
 * that may take: less where requests wait for it.
 */
export async function loadServers(urls: readonly string[], connectMs = CONNECT_MS): Promise<() => PostgresServer> {
  const { default: pg } = await import('pg');
  const types = { getTypeParser: (oid: number) => PARSERS[oid] ?? pg.types.getTypeParser(oid) };
  const newPool = (more: PoolConfig): Pool => {
    const settings = { connectionTimeoutMillis: connectMs, application_name: 'asset-gateway', keepAlive: true };
    const pool = new pg.Pool({ ...settings, types: types as NonNullable<PoolConfig['types']>, ...more });
    // The next query reports a connection that breaks while it is idle.
    pool.on('connect', (client) => void client.on('error', () => undefined));
    return pool.on('error', () => undefined);
  };
  let opened = 0;
  return () => {
    const connectionString = urls[opened++ % urls.length] ?? '';
    const requests = newPool({ connectionString, max: CONNECTIONS, query_timeout: QUERY_MS });
    requests.on('connect', (client) => void client.query(SERVER_LIMITS).catch(() => undefined));
    const reports = { connectionString, max: 2, query_timeout: REPORT_MS, idleTimeoutMillis: 1_000 };
    return new PostgresServer(requests, newPool(reports));
  };
}
