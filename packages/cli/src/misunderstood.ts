/** The command line was not understood; the message says what to type. */
export class Misunderstood extends Error {}
