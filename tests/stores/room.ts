import type { Room } from '../../packages/gateway/src/budget/store.ts';

const roomThat = (isFree: boolean): Room => ({ isFreeFor: () => isFree, take: () => undefined });

/** A node that has room for any number of calls in flight, and one that has none. */
export const [ROOM, NO_ROOM] = [roomThat(true), roomThat(false)];
