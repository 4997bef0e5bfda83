import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exceededShare,
  type GroupKind,
  groupOf,
  type Holdings,
  kindOf,
  REFRESH,
  shareOf,
} from '../../packages/gateway/src/budget/store.ts';
import { Counts, Recent } from '../../packages/gateway/src/tallies.ts';

/** Slots of one budget by the name of their group, taken one after the other as long as the share allows. */
class Slots {
  readonly held = new Map<string, number>();
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get free(): number {
    return this.limit - [...this.held.values()].reduce((sum, slots) => sum + slots, 0);
  }

  take(group: string, kind: GroupKind = 'address'): boolean {
    const ofGroup = this.held.get(group) ?? 0;
    const holdings = { limit: this.limit, free: this.free, groups: this.held.size, ofGroup, ofWallet: ofGroup };
    if (exceededShare(holdings, kind)) return false;
    this.held.set(group, ofGroup + 1);
    return true;
  }

  /** Slots of each group after all asked in turn until none gets more. */
  flood(groups: readonly string[]): number[] {
    while (groups.filter((group) => this.take(group)).length > 0);
    return groups.map((group) => this.held.get(group) ?? 0);
  }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `group ${index}`);
const limit = fc.integer({ min: 1, max: 2_000 });

describe('the group of an address', () => {
  it.each([
    ['203.0.113.7', 'address:203.0.113.0/24'],
    ['203.0.113.255', 'address:203.0.113.0/24'],
    ['::ffff:203.0.113.7', 'address:203.0.113.0/24'],
    ['::ffff:cb00:7107', 'address:203.0.113.0/24'],
    ['0:0:0:0:0:FFFF:203.0.113.7', 'address:203.0.113.0/24'],
    ['2001:db8:1:2::3', 'address:2001:db8:1::/48'],
    ['2001:0DB8:0001:ffff:ffff:ffff:ffff:ffff', 'address:2001:db8:1::/48'],
    ['2001:db8::', 'address:2001:db8:0::/48'],
    ['::1', 'address:0:0:0::/48'],
    ['fe80::1%eth0', 'address:fe80:0:0::/48'],
    ['', 'address:unknown'],
    ['not an address', 'address:unknown'],
  ])('%s belongs to %s', (address, group) => expect(groupOf(address)).toBe(group));

  it('is the same for all addresses of an IPv6 /48, in any spelling', () => {
    const prefix = fc.tuple(...Array.from({ length: 3 }, () => fc.integer({ min: 1, max: 0xffff })));
    fc.assert(
      fc.property(prefix, fc.ipV6(), (numbers, other) => {
        const hextets = numbers.map((number) => number.toString(16));
        const spelled = `${hextets.map((hextet) => hextet.padStart(4, '0').toUpperCase()).join(':')}:0:0:0:0:1`;
        expect(groupOf(`${hextets.join(':')}::1`)).toBe(groupOf(spelled));
        expect(groupOf(other)).toMatch(/^address:(?:[0-9a-f]+:[0-9a-f]+:[0-9a-f]+::\/48|\d+\.\d+\.\d+\.0\/24)$/);
      }),
    );
  });

  it('of a wallet that has paid is the wallet, at any address', () => {
    expect(shareOf('203.0.113.7', 'W', true)).toEqual(shareOf('2001:db8::1', 'W', true));
    expect(shareOf('203.0.113.7', 'W', false)).toEqual({ group: 'address:203.0.113.0/24', wallet: 'W' });
    expect([shareOf('::1', 'W', true), shareOf('::1', 'W', false), REFRESH].map(kindOf)).toEqual([
      'paid',
      'address',
      'refresh',
    ]);
  });
});

describe('the share of a group', () => {
  it('that is alone is four fifths of any limit, up to one slot', () => {
    fc.assert(
      fc.property(limit, (slots) => {
        expect(new Slots(slots).flood(['alone'])).toEqual([Math.ceil((4 * slots) / 5)]);
      }),
    );
    expect(new Slots(30).flood(['alone'])).toEqual([24]);
  });

  it('is never reached with four times the free slots held, nor with none free', () => {
    const holdings = fc.record({
      limit,
      free: fc.integer({ min: 0, max: 2_000 }),
      groups: fc.integer({ min: 1, max: 100 }),
      ofGroup: fc.integer({ min: 0, max: 2_000 }),
    });
    fc.assert(
      fc.property(holdings, fc.constantFrom<GroupKind>('address', 'paid', 'refresh'), (found, kind) => {
        const taken = exceededShare({ ...found, ofWallet: found.ofGroup }, kind) === undefined;
        expect(taken && found.ofGroup >= 4 * found.free).toBe(false);
      }),
    );
  });

  it('grows with free slots and shrinks with held slots', () => {
    const holdings = fc.record({
      limit: fc.constant(30),
      free: fc.integer({ min: 0, max: 30 }),
      groups: fc.integer({ min: 1, max: 30 }),
      ofGroup: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(holdings, fc.constantFrom<GroupKind>('address', 'paid'), (found, kind) => {
        const isTaken = (change: Partial<Holdings>) =>
          exceededShare({ ...found, ofWallet: found.ofGroup, ...change }, kind) === undefined;
        if (!isTaken({})) return;
        expect(isTaken({ free: found.free + 1 })).toBe(true);
        expect(isTaken({ ofGroup: found.ofGroup - 1, ofWallet: found.ofGroup - 1 })).toBe(true);
        expect(exceededShare({ ...found, ofWallet: found.ofGroup }, 'paid')).toBeUndefined();
      }),
    );
  });

  it('leaves room for a newcomer beside 13 greedy groups, and for a paying wallet beside any number', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 200 }), (order) => {
        const slots = new Slots(30);
        for (const group of names(13)) slots.take(group);
        for (const index of order) slots.take(`group ${index}`);
        expect(slots.take('newcomer')).toBe(true);
        slots.flood(names(100));
        expect(slots.take('payer', 'paid')).toBe(true);
      }),
    );
  });
});

describe('the share of a wallet in its group', () => {
  const holdings = { limit: 30, free: 20, groups: 1 };

  it("is the group's, while it is the only one that holds a slot", () =>
    expect(exceededShare({ ...holdings, ofGroup: 10, ofWallet: 10 }, 'address')).toBeUndefined());

  it('is four times the rest of the group, if others hold slots', () => {
    const at = (ofGroup: number, ofWallet: number) =>
      exceededShare({ limit: 30, free: 30 - ofGroup, groups: 1, ofGroup, ofWallet }, 'address');
    expect([at(21, 11), at(21, 12), at(23, 3), at(23, 4), at(23, 0)]).toEqual([
      undefined,
      'wallet',
      undefined,
      'wallet',
      undefined,
    ]);
    expect(at(24, 0)).toBe('group');
  });
});

describe('numbers by name', () => {
  it('count 0 for a name that is forgotten, and never less', () => {
    const counts = new Counts();
    for (const [name, by] of [
      ['a', 1],
      ['a', 1],
      ['b', 1],
      ['b', -1],
      ['c', -1],
    ] as const) {
      counts.add(name, by);
    }
    expect([counts.size, counts.of('a'), counts.of('b'), counts.of('c')]).toEqual([1, 2, 0, 0]);
  });
});

describe('values that are forgotten after some time', () => {
  it('are there until that time is over, and not at its end', () => {
    const recent = new Recent<string>(100);
    recent.set('a', 'first', 0);
    expect([recent.get('a', 99), recent.get('a', 100), recent.get('a', 99)]).toEqual(['first', undefined, undefined]);
  });

  it.each([0, 1, 50, 99])('are there until that time is over if they were set after %s ms', (afterMs) => {
    const recent = new Recent<string>(100);
    recent.set('first', '', 0);
    recent.set('a', 'late', afterMs);
    for (let nowMs = afterMs; nowMs < afterMs + 100; nowMs++) {
      recent.set('other', '', nowMs);
      expect(recent.get('a', nowMs)).toBe('late');
    }
  });

  it('last from when they are set again, and do not keep older ones', () => {
    const recent = new Recent<string>(100);
    recent.set('a', 'first', 0);
    recent.set('b', 'other', 10);
    recent.set('a', 'second', 50);
    expect([recent.get('a', 110), recent.get('b', 110)]).toEqual(['second', undefined]);
    expect(recent.get('a', 150)).toBeUndefined();
  });
});
