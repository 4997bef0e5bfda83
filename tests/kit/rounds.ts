/** Whether this is a short run, which scripts/test.mjs starts. A short run starts no programs. */
export const isShort = process.env.TESTS === 'short';

/** Whether repeated cases run as often as docs/proof.md says, and long cases run. */
export const isFull = process.env.ROUNDS === 'full';

/** How often a repeated case runs: `full` times with ROUNDS=full, else twice. */
export const rounds = (full: number): number => (isFull ? full : Math.min(2, full));

/** How often a case runs on each store that repeats it: `full` times with ROUNDS=full, else once. On two stores that is twice. */
export const roundsOnEach = (full: number): number => (isFull ? full : 1);

/** The number of samples for a property: `full` with ROUNDS=full, else a tenth. Each run has another seed. */
export const samples = (full: number): number => (isFull ? full : Math.ceil(full / 10));

/** The items that the row with this number tries. All rows together try each item once. With ROUNDS=full, each row tries all. */
export const shareOf = <Item>(items: readonly Item[], row: number, rows: number): Item[] =>
  items.filter((_, index) => isFull || index % rows === row);

/** Every third item, at least one. The next row of a matrix starts at another offset. With ROUNDS=full, all items. */
export const everyThird = <Item>(items: readonly Item[], row: number): Item[] =>
  items.filter((_, index) => isFull || index % 3 === row % Math.min(3, items.length));
