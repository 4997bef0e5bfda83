import bs58 from 'bs58';
import type { Genuine } from './forge-market.ts';
import { type Forgery, memoOf, REASONS, STRANGER, transferOf, u64 } from './forge-table.ts';
import { messageOf, signatureOver, wireOf } from './forge-wire.ts';

const EMPTY = Buffer.alloc(64);
const SIGNATURE_AT = 65;
const MESSAGE_AT = 129;
/** The order of the group, little-endian. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const slotOf = (wire: Buffer): Buffer => wire.subarray(SIGNATURE_AT, MESSAGE_AT);
const messageIn = (wire: Buffer): Buffer => wire.subarray(MESSAGE_AT);

/** A genuine payment whose message is untouched and whose payer's slot holds something else. */
const slot = (name: string, fill: (genuine: Genuine, payer: Uint8Array, payee: Uint8Array) => Uint8Array): Forgery => ({
  name,
  reason: REASONS.signature,
  make: (genuine, { payer, payee }) =>
    wireOf([EMPTY, Uint8Array.from(fill(genuine, payer, payee))], messageIn(genuine.wire)),
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

/** The same signature with the group's order added to S, which lenient verifiers take. */
function malleated(signature: Buffer): Buffer {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + L;
  const bytes = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([signature.subarray(0, 32), bytes]);
}

const SMALL_ORDER = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);

/** A message that is changed after the payer has signed it. */
const changed = (name: string, change: (genuine: Genuine) => void): Forgery => ({
  name: `${name} changed after signing`,
  reason: REASONS.signature,
  make(genuine) {
    change(genuine);
    return wireOf([EMPTY, slotOf(genuine.wire)], messageOf(genuine.draft));
  },
});

const broken = (name: string, make: (wire: Buffer, genuine: Genuine, payer: Uint8Array) => Uint8Array): Forgery => ({
  name,
  reason: REASONS.undecodable,
  make: (genuine, { payer }) => make(genuine.wire, genuine, payer),
});

/** Signatures that are not the payer's over this message, and bytes that are no transaction. */
export const SIGNATURE_FORGERIES: readonly Forgery[] = [
  slot('an empty slot', () => EMPTY),
  slot('a flipped first bit', ({ wire }) => flipped(slotOf(wire), 0)),
  slot('a flipped bit in R', ({ wire }) => flipped(slotOf(wire), 31)),
  slot('a flipped bit in S', ({ wire }) => flipped(slotOf(wire), 33)),
  slot('S beyond the order of the group', ({ wire }) => malleated(slotOf(wire))),
  slot('R of small order', ({ wire }) => Buffer.concat([SMALL_ORDER, slotOf(wire).subarray(32)])),
  slot('the signature of another message', (_, payer) => signatureOver(Buffer.from('another'), payer)),
  slot('the signature of the whole wire', ({ wire }, payer) => signatureOver(wire, payer)),
  slot("somebody else's signature", ({ wire }, _, payee) => signatureOver(messageIn(wire), payee)),
  slot('ones', () => Buffer.alloc(64, 0xff)),
  {
    name: "the payer's signature in the fee payer's slot",
    reason: REASONS.signature,
    make: ({ wire }) => wireOf([slotOf(wire), EMPTY], messageIn(wire)),
  },
  {
    name: 'a payer of small order whom every message is signed by',
    reason: REASONS.signature,
    make({ draft }) {
      draft.keys.splice(1, 1, bs58.encode(SMALL_ORDER));
      return wireOf([EMPTY, Buffer.concat([SMALL_ORDER, Buffer.alloc(32)])], messageOf(draft));
    },
  },
  changed('the amount', ({ draft }) => transferOf(draft).data.set(u64(1n), 1)),
  changed('the memo', ({ draft }) => memoOf(draft).data.set([65, 65, 65, 65])),
  changed('the blockhash', ({ draft }) => Object.assign(draft, { blockhash: STRANGER })),
  changed('the header', ({ draft }) => Object.assign(draft, { readonlyOthers: draft.readonlyOthers - 1 })),
  broken('the message alone', (wire) => messageIn(wire)),
  broken('a byte too many', (wire) => Buffer.concat([wire, Buffer.from([0])])),
  broken('a byte too few', (wire) => wire.subarray(0, -1)),
  broken('a third signature', (wire) => wireOf([EMPTY, slotOf(wire), EMPTY], messageIn(wire))),
  broken('a single signature', (wire) => wireOf([slotOf(wire)], messageIn(wire))),
  broken('a legacy message', (_, { draft }, payer) => {
    const message = messageOf({ ...draft, version: undefined });
    return wireOf([EMPTY, signatureOver(message, payer)], message);
  }),
  broken('version 1', (_, { draft }, payer) => {
    const message = messageOf({ ...draft, version: 0x81 });
    return wireOf([EMPTY, signatureOver(message, payer)], message);
  }),
  broken('a count in a longer spelling', (wire) => Buffer.concat([Buffer.from([0x82, 0]), wire.subarray(1)])),
  broken('more than a packet', (_, { draft }, payer) => {
    memoOf(draft).data = new Uint8Array(1233 - 400);
    const message = messageOf(draft);
    return wireOf([EMPTY, signatureOver(message, payer)], message);
  }),
];
