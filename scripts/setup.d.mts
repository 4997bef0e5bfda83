/** What the build writes among the sources. */
export const WRITTEN: readonly string[];
