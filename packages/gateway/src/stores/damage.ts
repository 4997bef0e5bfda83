/** What is kept on disk is not what was written there; the message says where that shows. */
export class Damage extends Error {}

/** The file of slots is not what was written there. */
export class SlotDamage extends Error {}
