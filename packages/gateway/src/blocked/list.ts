import { isIP } from 'node:net';
import { decodeBase58, Refusal } from '@asset-gateway/protocol';
import type { Gate } from '../call.ts';
import { addressBits } from '../ip-address.ts';

/** Thrown if a list is unusable. The message names the line. */
export class ListFault extends Error {}

/** The most lines of a list, including comments. */
export const MAX_LINES = 100_000;

const ADDRESS_BITS = 128;
const IPV4_BITS = 32;
const WALLET_BYTES = 32;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;

/** Returns the bits and the prefix length of an address or CIDR range. The range's address may have host bits. */
function rangeOf(text: string) {
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  const bits = addressBits(address);
  if (bits === undefined) return undefined;
  const most = isIP(address) === 4 ? IPV4_BITS : ADDRESS_BITS;
  const prefix = slash < 0 ? String(most) : text.slice(slash + 1);
  if (!PREFIX.test(prefix) || Number(prefix) > most) return undefined;
  return { bits, length: ADDRESS_BITS - most + Number(prefix) };
}

/** Blocked wallets and addresses. A look-up takes the same time for any number of entries, while Node's BlockList searches all. */
export class BlockedList {
  readonly #wallets = new Set<string>();
  /** The blocked prefixes, by their length in bits. */
  readonly #ranges = new Map<number, Set<bigint>>();

  /** Adds a base58 wallet, an address or a CIDR range. Returns false for other text. */
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

  /** Whether an IP address is in one of the ranges. */
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

/** Adds a text's lines to a list one by one, so that the caller can let other work run in between. Throws a ListFault. */
export function* linesInto(list: BlockedList, text: string): Generator<number> {
  const lines = text.split('\n');
  if (lines.length > MAX_LINES + 1) throw new ListFault(`has more than ${MAX_LINES.toLocaleString('en-US')} lines`);
  for (const [index, line] of lines.entries()) {
    const entry = (line.split('#', 1)[0] ?? '').trim();
    if (entry !== '' && !list.add(entry)) {
      throw new ListFault(`line ${index + 1} is not a wallet, address or CIDR such as 192.0.2.0/24`);
    }
    yield index;
  }
}

/** Reads a list synchronously. Throws a ListFault. */
export function readList(text: string): BlockedList {
  const list = new BlockedList();
  for (const _ of linesInto(list, text));
  return list;
}

/**
 * Returns a gate that first refuses blocked addresses, and then blocked wallets once the inner gate has identified them. Nothing is used up
 * before. It still delivers answers that were paid for.
 */
export const refusingBlocked = (gate: Gate, blocked: { readonly list: BlockedList }): Gate => ({
  async serve(call, facts, prepare) {
    if (blocked.list.hasAddress(call.inbound.client)) throw new Refusal('blocked', { reason: 'address' });
    return gate.serve(call, facts, (isOwed) => {
      if (isOwed || !blocked.list.hasWallet(facts.wallet ?? '')) return prepare(isOwed);
      // A blocked client has no use for a fresh nonce.
      facts.headers = undefined;
      throw new Refusal('blocked', { reason: 'wallet' });
    });
  },
  challenge: (call, code) => gate.challenge(call, code),
});
