import type { Statement } from './database.ts';

const KEEP = `insert into answers (key, until_ms, bytes, answer) select $1, $2, $3, $4 where {guarded} on conflict (key) do update
  set until_ms = excluded.until_ms, bytes = excluded.bytes, answer = excluded.answer`;

/** An answer and its expiry; null while its payment is open. */
export interface StoredAnswer {
  /** The key of its payment or debit. */
  readonly key: string;
  /** JSON. */
  readonly answer: string;
  readonly untilMs: number | null;
}

const valuesOf = ({ key, answer, untilMs }: StoredAnswer) => [key, untilMs, Buffer.byteLength(answer), answer];

/** Stores an answer in the step that charges for it. */
export const keepAnswer = (stored: StoredAnswer): Statement => ({ sql: KEEP, values: valuesOf(stored) });

/** Stores an answer that was fetched again. */
export const keepAgain = (stored: StoredAnswer): Statement => ({
  sql: `${KEEP.replace('{guarded}', '{in time}')} returning key`,
  values: valuesOf(stored),
});

/** Sets the expiry of an answer. */
export const endAnswer = (key: string, untilMs: number): Statement => ({
  sql: 'update answers set until_ms = $2 where key = $1 and {guarded}',
  values: [key, untilMs],
});

export const findAnswer = (key: string, nowMs: number): Statement => ({
  sql: 'select answer from answers where key = $1 and (until_ms is null or until_ms > $2)',
  values: [key, nowMs],
});

export const dropAnswer = (key: string): Statement => ({
  sql: 'delete from answers where key = $1 and {guarded}',
  values: [key],
});
