import { CHANGES } from './changes.ts';

/**
 * The state that `SCHEMA_STATE` reads. `number`: the last applied change; 0 in a new database. `worksWith`: the oldest change whose
 * gateways still work with this schema, because nodes of both versions run during an upgrade. To add a change, add two files to the folder
 * `changes`. Never edit a released file.
 */
export type SchemaState = Pick<(typeof CHANGES)[number], 'number' | 'worksWith'>;

/** Thrown if a later version has made a schema with which this version cannot work. */
export class SchemaTooNew extends Error {}

/**
 * Returns the changes that a database lacks. Throws if this version cannot work with its schema. No library is used, because each change
 * has SQL for two engines and names the oldest version that still works with it.
 */
export function missingChanges({ number, worksWith }: SchemaState) {
  const latest = CHANGES.at(-1)?.number ?? 0;
  if (worksWith > latest) throw new SchemaTooNew(`the schema has number ${number}, and this version knows ${latest}`);
  return CHANGES.filter((change) => change.number > number);
}

/** The table of applied changes. */
export const CHANGES_TABLE = `create table if not exists schema_changes (number integer primary key, works_with integer not null)`;
export const SCHEMA_STATE = `select coalesce(max(number), 0) as number, coalesce(max(works_with), 0) as "worksWith" from schema_changes`;
export const NOTE_CHANGE = 'insert into schema_changes (number, works_with) values ($1, $2)';
