/** What is kept on disk is not what was written there; the message says where that shows. */
export class Damage extends Error {}
