import { CHANGES } from './changes.ts';

/**
 * A numbered change of the schema, as SQL for each engine. `worksWith`: the lowest change whose gateways work with the schema after
 * this one, because during an upgrade nodes of both versions run. To add one, add two files to the folder `changes`; never edit those
 * that were released.
 */
export type Change = (typeof CHANGES)[number];

/** What `SCHEMA_STATE` finds. */
export type SchemaState = Pick<Change, 'number' | 'worksWith'>;

/** A later version has made the schema, and this version cannot work with it. */
export class SchemaTooNew extends Error {}

/**
 * The missing changes of a database: `number` of its last change (0 in a new one), and the largest `worksWith` of all. Throws if this
 * version cannot work with the schema.
 */
export function missingChanges(
  { number, worksWith }: SchemaState,
  changes: readonly Change[] = CHANGES,
): readonly Change[] {
  const latest = changes.at(-1)?.number ?? 0;
  if (worksWith > latest) throw new SchemaTooNew(`the schema has number ${number}, and this version knows ${latest}`);
  return changes.filter((change) => change.number > number);
}

/** The table of applied changes. */
export const CHANGES_TABLE = `create table if not exists schema_changes (number integer primary key, works_with integer not null)`;
export const SCHEMA_STATE = `select coalesce(max(number), 0) as number, coalesce(max(works_with), 0) as "worksWith" from schema_changes`;
export const NOTE_CHANGE = 'insert into schema_changes (number, works_with) values ($1, $2)';
