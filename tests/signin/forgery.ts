import { createHash, randomBytes } from 'node:crypto';
import { signerFromBytes } from '@asset-gateway/client/node';
import { ed25519 } from '@noble/curves/ed25519';
import bs58 from 'bs58';

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const toBytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

/** The signature with the group order added to S, which a lenient verifier accepts. */
export function malleated(signature: Uint8Array): Buffer {
  const s = toNumber(signature.subarray(32)) + ORDER;
  return Buffer.concat([signature.subarray(0, 32), toBytes(s)]);
}

/** Ed25519 by the rules of ZIP 215, which takes keys of small order. */
export const verifyLeniently = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean =>
  ed25519.verify(signature, message, publicKey, { zip215: true });

/** An R that is S times the base point: for a key of small order it verifies one message in eight, or more. */
function scalarAndItsPoint(): Buffer {
  const seed = randomBytes(32);
  const scalar = createHash('sha512').update(seed).digest().subarray(0, 32);
  scalar[0] = (scalar[0] ?? 0) & 248;
  scalar[31] = ((scalar[31] ?? 0) & 63) | 64;
  return Buffer.concat([bs58.decode(signerFromBytes(seed).address), toBytes(toNumber(scalar) % ORDER)]);
}

/** A signature made without the key that a lenient verifier accepts. */
export interface Forgery {
  readonly signature: Buffer;
  readonly message: string;
  /** The number of the message. */
  readonly attempt: number;
}

/** Tries messages until a signature made without the key verifies. */
export function forge(publicKey: Uint8Array, messageOf: (attempt: number) => string): Forgery {
  const signature = scalarAndItsPoint();
  for (let attempt = 0; attempt < 1000; attempt++) {
    const message = messageOf(attempt);
    if (verifyLeniently(signature, Buffer.from(message), publicKey)) return { signature, message, attempt };
  }
  throw new Error('no forgery found');
}
