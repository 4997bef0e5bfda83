import { Refusal } from '@asset-gateway/protocol';
import type { Gate } from '../gates/gate.ts';
import type { BlockedList } from './list.ts';

/** Where the list is that is in force now. */
export interface Blocked {
  readonly list: Pick<BlockedList, 'hasWallet' | 'hasAddress'>;
}

/**
 * A gate that lets nobody pass who is blocked: an address before anything is looked at, a wallet as soon as the gate has proved
 * whose request it is, when nothing has been used up yet. What is owed to a wallet has been paid for, and is served.
 */
export const blocking = (gate: Gate, blocked: Blocked): Gate => ({
  async admit(call, trail) {
    if (blocked.list.hasAddress(call.inbound.client)) throw new Refusal('blocked', { reason: 'address' });
    const passed = await gate.admit(call, trail);
    if ('answer' in passed || passed.isOwed || !blocked.list.hasWallet(trail.wallet ?? '')) return passed;
    await passed[Symbol.asyncDispose]();
    throw new Refusal('blocked', { reason: 'wallet' });
  },
  challenge: (call, code) => gate.challenge(call, code),
});
