import { describe, expect, it } from 'vitest';
import { InFlight } from '../../packages/gateway/src/stages/spend.ts';

describe('the calls in flight of a provider', () => {
  it('W7 are counted for their cluster and for all, and both are free again when a call is over', () => {
    const all = new InFlight(3);
    const [mainnet, devnet] = [new InFlight(3, { within: all }), new InFlight(1, { within: all })];
    devnet.take('first');
    expect([devnet.isFreeFor(), mainnet.isFreeFor()]).toEqual([false, true]);
    for (const owner of ['second', 'third']) mainnet.take(owner);
    expect([mainnet.isFreeFor(), all.isFreeFor()]).toEqual([false, false]);
    mainnet.leave('second');
    expect([devnet.isFreeFor(), mainnet.isFreeFor()]).toEqual([false, true]);
    devnet.leave('first');
    expect([devnet.isFreeFor(), mainnet.isFreeFor(), all.isFreeFor()]).toEqual([true, true, true]);
  });

  it('W7 are limited for each wallet', () => {
    const room = new InFlight(4, { ofWallet: 2 });
    for (const owner of ['first', 'second']) room.take(owner, 'wallet');
    expect([room.isFreeFor('wallet'), room.isFreeFor('other'), room.isFreeFor()]).toEqual([false, true, true]);
    room.leave('first');
    expect(room.isFreeFor('wallet')).toBe(true);
  });

  it('W7 count an owner once, however often it takes its place and leaves it', () => {
    const room = new InFlight(2, { ofWallet: 1, within: new InFlight(2) });
    for (let time = 0; time < 3; time++) room.take('one', 'wallet');
    expect([room.isFreeFor(), room.isFreeFor('wallet')]).toEqual([true, false]);
    for (let time = 0; time < 3; time++) room.leave('one');
    for (const owner of ['two', 'three']) room.take(owner);
    expect([room.isFreeFor(), room.isFreeFor('wallet')]).toEqual([false, false]);
    for (const owner of ['two', 'three']) room.leave(owner);
    expect(room.isFreeFor('wallet')).toBe(true);
  });
});
