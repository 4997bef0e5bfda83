import { isIP } from 'node:net';
import { Refusal } from '@asset-gateway/protocol';
import { decodeBase58 } from '../gates/encodings.ts';
import type { Gate } from '../gates/gate.ts';
import { addressBits } from '../ip-address.ts';

/** What makes a list unusable; the message names the line. */
export class ListFault extends Error {}

/** So many lines a list may have, comments among them. */
export const MAX_LINES = 100_000;

const ADDRESS_BITS = 128;
const IPV4_BITS = 32;
const WALLET_BYTES = 32;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;

/** A range of addresses: what all of them begin with, and how many bits that are. */
interface Range {
  readonly bits: bigint;
  readonly length: number;
}

/** An address, or a CIDR, whose address may lie anywhere in the range. */
function rangeOf(text: string): Range | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  const bits = addressBits(address);
  if (bits === undefined) return undefined;
  const most = isIP(address) === 4 ? IPV4_BITS : ADDRESS_BITS;
  const prefix = slash < 0 ? String(most) : text.slice(slash + 1);
  if (!PREFIX.test(prefix) || Number(prefix) > most) return undefined;
  return { bits, length: ADDRESS_BITS - most + Number(prefix) };
}

/** Wallets and addresses that are not served. A look-up takes as long in a long list as in a short one. */
export class BlockedList {
  readonly #wallets = new Set<string>();
  /** By their length, what the addresses of the ranges begin with. */
  readonly #ranges = new Map<number, Set<bigint>>();

  /** Takes what a line names: a wallet in base58, an address or a CIDR; no for anything else. */
  add(text: string): boolean {
    const range = rangeOf(text);
    if (range) {
      const { bits, length } = range;
      const known = this.#ranges.get(length) ?? new Set();
      this.#ranges.set(length, known.add(bits >> BigInt(ADDRESS_BITS - length)));
      return true;
    }
    if (!decodeBase58(text, WALLET_BYTES)) return false;
    this.#wallets.add(text);
    return true;
  }

  hasWallet(wallet: string): boolean {
    return this.#wallets.has(wallet);
  }

  /** Whether the address is in one of the ranges; what is no IP address is in none. */
  hasAddress(address: string): boolean {
    if (this.#ranges.size === 0) return false;
    const bits = addressBits(address);
    if (bits === undefined) return false;
    for (const [length, known] of this.#ranges) if (known.has(bits >> BigInt(ADDRESS_BITS - length))) return true;
    return false;
  }

  get counts(): { readonly wallets: number; readonly ranges: number } {
    const ranges = [...this.#ranges.values()].reduce((sum, { size }) => sum + size, 0);
    return { wallets: this.#wallets.size, ranges };
  }
}

/** Reads a list line by line, so that whoever reads a long one can do something else in between. Throws a ListFault. */
export function* readingList(text: string): Generator<void, BlockedList> {
  const list = new BlockedList();
  const lines = text.split('\n');
  if (lines.length > MAX_LINES + 1) throw new ListFault(`has more than ${MAX_LINES.toLocaleString('en-US')} lines`);
  for (const [index, line] of lines.entries()) {
    const entry = (line.split('#', 1)[0] ?? '').trim();
    if (entry !== '' && !list.add(entry)) {
      throw new ListFault(`line ${index + 1} is no wallet, no address and no CIDR such as 192.0.2.0/24`);
    }
    yield;
  }
  return list;
}

/** The list in a text, at once. Throws a ListFault. */
export function readList(text: string): BlockedList {
  const reading = readingList(text);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

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
