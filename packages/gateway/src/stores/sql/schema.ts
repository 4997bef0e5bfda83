import { type Dialect, FEES_FUNCTION } from './database.ts';
import first from './schema-1.json' with { type: 'json' };

/** A numbered change of the schema. */
export interface Change {
  readonly number: number;
  /** The lowest change whose gateways work with the schema after this one. During an upgrade nodes of both versions run. */
  readonly worksWith: number;
  readonly statements: (dialect: Dialect) => readonly string[];
}

type Columns = Readonly<Record<string, readonly string[]>>;

const tablesOf = (tables: Columns): string[] =>
  Object.entries(tables).map(([name, columns]) => `create table ${name} (${columns.join(', ')}) {strict}`);

const viewsOf = (views: Columns): string[] =>
  Object.entries(views).map(([name, lines]) => `create view ${name} as ${lines.join(' ')}`);

/** Fills in what differs between the databases, such as `{integer}`. */
function filled(sql: string, { integer, instant, counter, strict, instantOf, hourOf }: Dialect): string {
  const since = 'p.settling_since_ms';
  const moments = { [`instant of ${since}`]: instantOf(since), 'hour of at': hourOf('at') };
  const words = Object.entries({ integer, instant, counter, strict, ...moments });
  return words.reduce((text, [name, word]) => text.replaceAll(`{${name}}`, word), sql);
}

/**
 * The first schema. Answers have a table of their own, so that rows of payments and debits stay small: each is written several times.
 * Unique are an open payment per wallet and request, a settlement per transaction, and an entry per kind and payment. An index of
 * debits by wallet is for the foreign keys, when a wallet is deleted. The clock never goes back: `ahead_ms` is the sum of all steps
 * back of the machine's clock. One process alone has tables in DATA_DIR: its settings and, without Redis, used nonces and held slots.
 */
const firstSchema = (dialect: Dialect): string[] => {
  const isLocal = dialect.name === 'sqlite';
  const statements = [
    ...tablesOf({ ...first.tables, ...(isLocal && first.localTables) }),
    ...[...first.indexes, ...viewsOf(first.views), ...first.rows],
  ].map((sql) => filled(sql, dialect));
  return isLocal ? statements : [...statements, FEES_FUNCTION];
};

/** All changes in order. Never edit one: add another. */
export const CHANGES: readonly Change[] = [
  {
    number: 1,
    worksWith: 1,
    statements: firstSchema,
  },
];

/** The state of a database's schema. */
interface SchemaState {
  /** The number of the last change; 0 in a new database. */
  readonly number: number;
  /** The largest `worksWith` of all changes. */
  readonly worksWith: number;
}

/** A later version has made the schema, and this version cannot work with it. */
export class SchemaTooNew extends Error {}

/** The missing changes. Throws if this version cannot work with the schema. */
export function missingChanges({ number, worksWith }: SchemaState, changes = CHANGES): readonly Change[] {
  const latest = changes.at(-1)?.number ?? 0;
  if (worksWith > latest) throw new SchemaTooNew(`the schema has number ${number}, and this version knows ${latest}`);
  return changes.filter((change) => change.number > number);
}

/** The table of applied changes. */
export const CHANGES_TABLE = `create table if not exists schema_changes (number integer primary key, works_with integer not null)`;
export const SCHEMA_STATE = `select coalesce(max(number), 0) as number, coalesce(max(works_with), 0) as works_with from schema_changes`;
export const NOTE_CHANGE = 'insert into schema_changes (number, works_with) values ($1, $2)';
