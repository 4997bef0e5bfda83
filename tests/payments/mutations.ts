import fc from 'fast-check';

/** One change to a transaction's bytes. */
type Change = (wire: Buffer) => Buffer;

const share = fc.double({ min: 0, max: 1, noNaN: true });
const some = fc.uint8Array({ minLength: 1, maxLength: 4 });

const cut = (wire: Buffer, from: number, length: number, put: Uint8Array = new Uint8Array()): Buffer =>
  Buffer.concat([wire.subarray(0, from), put, wire.subarray(from + length)]);
const placeIn = ({ length }: Uint8Array, where: number): number => Math.min(length, Math.floor(where * length));

/** Where counts, versions and headers stand in most wires; a change there says more than one in a key. */
const near = fc.oneof(share, fc.constantFrom(0, 65, 129, 130, 131, 132, 133));
const at = (wire: Buffer, where: number): number => (where > 1 ? Math.min(where, wire.length) : placeIn(wire, where));

/** Flips, inserts, deletes, repeats and splices bytes of these wires, a few times each. */
export function mutated(wires: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.tuple(near, fc.nat(7)).map(
      ([where, bit]): Change =>
        (wire) => {
          const from = at(wire, where);
          return cut(wire, from, 1, Uint8Array.of((wire[from] ?? 0) ^ (1 << bit)));
        },
    ),
    fc.tuple(near, fc.integer({ min: 0, max: 255 })).map(
      ([where, byte]): Change =>
        (wire) =>
          cut(wire, at(wire, where), 1, Uint8Array.of(byte)),
    ),
    fc.tuple(near, some).map(
      ([where, bytes]): Change =>
        (wire) =>
          cut(wire, at(wire, where), 0, bytes),
    ),
    fc.tuple(near, fc.integer({ min: 1, max: 70 })).map(
      ([where, length]): Change =>
        (wire) =>
          cut(wire, at(wire, where), length),
    ),
    fc.tuple(share, share, fc.integer({ min: 1, max: 70 })).map(
      ([where, source, length]): Change =>
        (wire) => {
          const from = placeIn(wire, source);
          return cut(wire, placeIn(wire, where), 0, wire.subarray(from, from + length));
        },
    ),
    fc.tuple(fc.constantFrom(...wires), share, share).map(
      ([other, where, source]): Change =>
        (wire) =>
          Buffer.concat([wire.subarray(0, placeIn(wire, where)), other.subarray(placeIn(other, source))]),
    ),
  );
  return fc
    .tuple(fc.constantFrom(...wires), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([wire, changes]) => changes.reduce((made, each) => each(made), wire));
}
