import { createHash } from 'node:crypto';
import bs58 from 'bs58';

/** Returns a 32-bit hash of a name (FNV-1a), the seed of all simulated data. */
export function seedOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** Returns a number in [0, 1) derived from a seed and an integer. */
export function draw(seed: number, index: number): number {
  let mixed = (seed ^ Math.imul(index | 0, 0x9e3779b1)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
}

/** Returns a number in [low, high) derived from a name. */
export function between(low: number, high: number, name: string): number {
  return low + (high - low) * draw(seedOf(name), 1);
}

/** Returns a base58 address derived from a name. */
export function addressOf(name: string): string {
  return bs58.encode(createHash('sha256').update(name).digest());
}

/** Rounds to a number of significant digits. */
export function significant(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
