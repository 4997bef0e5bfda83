/** Whether this is a short run, which scripts/test.mjs starts: it starts no programs. */
export const isShort = process.env.TESTS === 'short';

/** Whether repeated cases run as often as docs/proof.md says, and long ones run. */
export const isFull = process.env.ROUNDS === 'full';

/** How often a repeated case runs: what the issue names with ROUNDS=full, else 2. */
export const rounds = (full: number): number => (isFull ? full : Math.min(2, full));

/** How often a case runs on each store that repeats it: `full` times with ROUNDS=full, else once, so twice on two stores. */
export const roundsOnEach = (full: number): number => (isFull ? full : 1);

/** How many texts or values a property is tried with: `full` with ROUNDS=full, else a tenth, from another seed each time. */
export const samples = (full: number): number => (isFull ? full : Math.ceil(full / 10));

/** The part of these that the row with this number tries, so that all rows together try each once; all with ROUNDS=full. */
export const shareOf = <Item>(items: readonly Item[], row: number, rows: number): Item[] =>
  items.filter((_, index) => isFull || index % rows === row);

/** Every third of these with another offset in the next row of a matrix, one at least; all with ROUNDS=full. */
export const everyThird = <Item>(items: readonly Item[], row: number): Item[] =>
  items.filter((_, index) => isFull || index % 3 === row % Math.min(3, items.length));
