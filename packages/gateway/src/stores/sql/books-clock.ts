import { type ClockRow, only, type SqlRow, type Statement } from './database.ts';

/**
 * Which clock decides about money. "The books" are the SQL tables of money.
 *
 * | what | clock |
 * |---|---|
 * | leases, holds, owed and stored answers, windows of calls and fees, expiry of records, the issue time of a memo | books |
 * | deletion of the rows above | books, and only while `mayDelete` holds: no recent step, no jump |
 * | `journal_entries.at`, the times in receipts | wall |
 * | deletion of journal entries | wall, and only while `mayDelete` holds |
 * | a PostgreSQL statement that is read too late | wall of the server |
 * | nonces and slots | the store's: memory (monotonic) or Redis |
 * | whether a payment can still land, where a search of the chain begins | the chain: block heights, slots, block times |
 *
 * The books' clock goes on by a monotonic clock, and never back. If the wall clock (the database server's) is later, the books' clock
 * moves to it: by at most an hour at any time, and by at most a week at a start, because a gateway may have been stopped. So a wall
 * clock that was wrong once has no lasting effect, and a larger jump counts only after an operator has accepted it. A step of at most
 * an hour raises no alert; it only stops deletion for 15 minutes.
 */
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** The least difference that counts as a step, in milliseconds. Smaller ones come from the time that a reply travels. */
const STEP_MS = 1_000;
/** If no process ran for at most this long, in milliseconds, the wall clock shows how long the pause was. */
const PAUSE_MS = 60_000;
/**
 * How long nothing is deleted after a step, in milliseconds. Debits are stored for less, and a stored debit prevents a second use of its
 * nonce.
 */
const REST_MS = 900_000;

const deviationOf = ({ nowMs, wallMs }: Pick<ClockRow, 'nowMs' | 'wallMs'>): number => wallMs - nowMs;

/** Returns how far the books' clock may move to the wall clock at once, in milliseconds. */
function reachOf(last: ClockRow, isStart: boolean): number {
  const wasOff = deviationOf(last) < -HOUR_MS || deviationOf(last) > WEEK_MS;
  return isStart || wasOff ? WEEK_MS : HOUR_MS;
}

/**
 * Returns the clocks at a new time of the wall clock. `expectedMs`: the books' clock according to a monotonic clock; undefined at a start,
 * which cannot know how much time has passed.
 */
export function advance(last: ClockRow, wallMs: number, expectedMs?: number): ClockRow {
  if (last.nowMs === 0) return { nowMs: wallMs, wallMs, acceptedMs: 0, steppedMs: 0 };
  const flowed = last.nowMs + wallMs - last.wallMs;
  const pausedMs = wallMs - last.wallMs;
  const hasFlowed =
    expectedMs === undefined ? pausedMs >= 0 && pausedMs < PAUSE_MS : Math.abs(flowed - expectedMs) < STEP_MS;
  const steadyMs = Math.max(last.nowMs, hasFlowed ? flowed : (expectedMs ?? last.nowMs));
  const aheadMs = wallMs - steadyMs;
  const follows = aheadMs > 0 && (aheadMs <= reachOf(last, expectedMs === undefined) || isAccepted(last, aheadMs));
  const nowMs = follows ? wallMs : steadyMs;
  return {
    nowMs,
    wallMs,
    acceptedMs: Math.abs(wallMs - nowMs) <= HOUR_MS ? 0 : last.acceptedMs,
    steppedMs: hasFlowed ? last.steppedMs : nowMs,
  };
}

const isAccepted = ({ acceptedMs }: ClockRow, deviationMs: number): boolean =>
  Math.abs(deviationMs - acceptedMs) <= HOUR_MS;

/**
 * Returns how far the wall clock has jumped, forwards or back, in milliseconds; 0 if by at most an hour, or if an operator has accepted the
 * jump.
 */
export const jumpOf = (row: ClockRow): number => (isAccepted(row, deviationOf(row)) ? 0 : deviationOf(row));

/** Whether rows may be deleted because of their age. */
export const mayDelete = (row: ClockRow): boolean => jumpOf(row) === 0 && row.nowMs - row.steppedMs >= REST_MS;

export const CLOCK_COLUMNS = `now_ms as "nowMs", wall_ms as "wallMs", accepted_ms as "acceptedMs", stepped_ms as "steppedMs"`;
export const READ_CLOCK: Statement = { sql: `select ${CLOCK_COLUMNS} from clock where id = 1` };

/** Returns both clocks from the single row of a result. */
export function clockIn(rows: readonly SqlRow[]): ClockRow {
  const { nowMs, wallMs, acceptedMs, steppedMs } = only(rows);
  return {
    nowMs: Number(nowMs),
    wallMs: Number(wallMs),
    acceptedMs: Number(acceptedMs),
    steppedMs: Number(steppedMs),
  };
}

/** Returns the wall time of a moment of the books' clock. Both agree to the second while neither has stepped. */
export const wallOf = (nowMs: number, clocks: Pick<ClockRow, 'nowMs' | 'wallMs'>): number =>
  Math.floor(nowMs + (Math.abs(deviationOf(clocks)) < STEP_MS ? 0 : deviationOf(clocks)));

/** Returns the statement that writes the clocks, unless another node has written them since they were read. */
export const writeClock = ({ nowMs, wallMs, acceptedMs, steppedMs }: ClockRow, last: ClockRow): Statement => ({
  sql: `update clock set now_ms = $1, wall_ms = $2, accepted_ms = $3, stepped_ms = $4
  where id = 1 and now_ms = $5 and accepted_ms = $6`,
  values: [nowMs, wallMs, acceptedMs, steppedMs, last.nowMs, last.acceptedMs].map(Math.floor),
});

/** The statement that accepts the wall clock as it is. If the wall clock is later, the books' clock follows it. */
export const ACCEPT_CLOCK: Statement = {
  sql: 'update clock set accepted_ms = wall_ms - now_ms where id = 1 returning id',
};
