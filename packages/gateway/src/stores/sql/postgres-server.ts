import { createHash } from 'node:crypto';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import type { Row, Step, Value } from './database.ts';
import { POSTGRES } from './dialect.ts';
import { CHANGES_TABLE, missingChanges, NOTE_CHANGE, SCHEMA_STATE, SchemaTooNew } from './schema.ts';

/** How long a request waits for a connection, and then for the answer. */
export const [CONNECT_MS, QUERY_MS] = [400, 400];
const REPORT_MS = 20_000;
/** The server ends by itself what no node waits for any more. */
const SERVER_LIMITS = `set statement_timeout = 2000; set lock_timeout = 250; set idle_in_transaction_session_timeout = 5000`;
/** Behind a pooler the limits may be those of any connection. */
const WITHOUT_LIMITS = 'set local statement_timeout = 0; set local lock_timeout = 0';
const CONNECTIONS = 10;
/** Any number that no other program of this database locks. */
const SCHEMA_LOCK = 84_02;
/** A connection that ended, as Node and PostgreSQL (an administrator's command) name it. */
const LOST = ['ECONNRESET', 'EPIPE', '57P01', '57P02'];
/** Two steps have waited for each other, or a lock did not come in time: the server has undone the step. */
const UNDONE = ['40P01', '55P03'];
/** A pooler has led a prepared statement to another connection. */
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

/** A statement with a name of its own, so that the server prepares it once for each connection. */
export interface Query {
  readonly name: string;
  readonly text: string;
}

export const queryOf = (text: string): Query => ({
  name: createHash('sha256').update(text).digest('hex').slice(0, 32),
  text,
});

/** Renumbers the parameters of a statement that follows others. */
const shifted = (sql: string, by: number): string =>
  sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + by}`);

/** A step as one statement, so that no transaction stays open between round trips. Its last parameter is its deadline. */
export function stepQuery({ guard, changes = [] }: Step): Query {
  let count = guard.values?.length ?? 0;
  const others = changes.map(({ sql, values = [] }, index) => {
    const text = shifted(sql, count).replaceAll('{guarded}', 'exists (select 1 from guard)');
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
/** PostgreSQL's own errors have codes of five characters. */
const OF_SERVER = /^(?!E[A-Z]{4})[0-9A-Z]{5}$/;
/** It shuts down (57), a pooler has no connection to it (08), it has too many connections, or it is a standby. */
const OF_CONNECTION = /^(?:57|08|53300|25006)/;

/** Whether the server cannot be used now, rather than refuses this statement or this node. */
export function isOfConnection(error: unknown): boolean {
  if (error instanceof SchemaTooNew) return false;
  const code = codeOf(error);
  return OF_SERVER.test(code) ? OF_CONNECTION.test(code) : !UNTRUSTED.test(code);
}

/** All connections are in use, by statements that may well be answered. */
export const isQueueFull = (error: unknown): boolean =>
  (error as Error).message === 'timeout exceeded when trying to connect';

/** Connections to one server. */
export class PostgresServer {
  readonly #requests: Pool;
  readonly #reports: Pool;
  /** Prepared statements are lost behind a pooler that does not follow them. */
  #isPrepared = true;

  constructor(requests: Pool, reports: Pool) {
    this.#requests = requests;
    this.#reports = reports;
  }

  /** Sends a query; once more if its connection was lost or has not prepared it, or it was undone. A step is written once. */
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
      // On a connection that owes an answer, the next answer would be another's.
      isUsable = !isOfConnection(error);
      throw error;
    } finally {
      client.release(!isUsable);
    }
  }

  async report(sql: string, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#reports.query<Record<string, Value>>(sql, [...values])).rows;
  }

  /** Brings the schema up to date, one node at a time. Rejects if a later version has made it. */
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

/** Loads the client library. Answers what opens each server in turn; nothing is connected before something is asked. */
export async function loadServers(urls: readonly string[]): Promise<() => PostgresServer> {
  const { default: pg } = await import('pg');
  const types = { getTypeParser: (oid: number) => PARSERS[oid] ?? pg.types.getTypeParser(oid) };
  const newPool = (more: PoolConfig): Pool => {
    const settings = { connectionTimeoutMillis: CONNECT_MS, application_name: 'asset-gateway', keepAlive: true };
    const pool = new pg.Pool({ ...settings, types: types as NonNullable<PoolConfig['types']>, ...more });
    // A connection may break while it is idle, or taken from the pool and not asked: the next query finds out.
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
