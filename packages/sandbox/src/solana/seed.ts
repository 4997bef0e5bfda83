import { createHash } from 'node:crypto';
import bs58 from 'bs58';

/** 64 bytes derived from a name. */
export const bytesOf = (name: string): Buffer => createHash('sha512').update(name).digest();

/** An integer in [0, bound) derived from a name. */
export const draw = (name: string, bound: number): number => bytesOf(name).readUInt32LE(0) % bound;

/** A base58 address derived from a name. */
export const addressFrom = (name: string): string => bs58.encode(bytesOf(name).subarray(0, 32));
