import { describe, expect, it } from 'vitest';
import { InFlight } from '../../packages/gateway/src/stages/spend.ts';

describe('the calls in flight of a provider', () => {
  it('W7 are counted for their cluster and for all, and both are free again when a call is over', () => {
    const all = new InFlight(3);
    const [mainnet, devnet] = [new InFlight(3, { within: all }), new InFlight(1, { within: all })];
    devnet.take('first');
    expect([devnet.isFree, mainnet.isFree]).toEqual([false, true]);
    for (const owner of ['second', 'third']) mainnet.take(owner);
    expect([mainnet.isFree, all.isFree]).toEqual([false, false]);
    mainnet.leave('second');
    expect([devnet.isFree, mainnet.isFree]).toEqual([false, true]);
    devnet.leave('first');
    expect([devnet.isFree, mainnet.isFree, all.isFree]).toEqual([true, true, true]);
  });

  it('W7 are limited for each wallet', () => {
    const room = new InFlight(4, { ofWallet: 2 });
    const [before, other] = [room.of('wallet'), room.of('other')];
    for (const owner of ['first', 'second']) room.of('wallet').take(owner);
    expect([before.isFree, room.of('wallet').isFree, other.isFree, room.isFree]).toEqual([false, false, true, true]);
    room.leave('first');
    expect([before.isFree, room.of('wallet').isFree]).toEqual([true, true]);
  });

  it('W7 count an owner once, however often it takes its place and leaves it', () => {
    const room = new InFlight(2, { ofWallet: 1, within: new InFlight(2) });
    for (let time = 0; time < 3; time++) room.of('wallet').take('one');
    expect([room.isFree, room.of('wallet').isFree]).toEqual([true, false]);
    for (let time = 0; time < 3; time++) room.leave('one');
    for (const owner of ['two', 'three']) room.take(owner);
    expect([room.isFree, room.of('wallet').isFree]).toEqual([false, false]);
    for (const owner of ['two', 'three']) room.leave(owner);
    expect(room.of('wallet').isFree).toBe(true);
  });
});
