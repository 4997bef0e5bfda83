import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { signerFromBytes } from '@asset-gateway/client/node';
import { ed25519 } from '@noble/curves/ed25519';
import bs58 from 'bs58';

/** A published Ed25519 case, and whether a strict verifier accepts it. */
export interface Ed25519Case {
  readonly name: string;
  readonly message: Buffer;
  readonly publicKey: Buffer;
  readonly signature: Buffer;
  readonly valid: boolean;
}

interface WycheproofTest {
  readonly tcId: number;
  readonly msg: string;
  readonly sig: string;
  readonly result: string;
}
type WycheproofGroup = { readonly publicKey: { readonly pk: string }; readonly tests: readonly WycheproofTest[] };
type SpeccheckCase = Readonly<Record<'message' | 'pub_key' | 'signature', string>>;

const folder = fileURLToPath(new URL('../vectors/', import.meta.url));
const read = (name: string): Buffer => readFileSync(`${folder}${name}`);
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** The only speccheck case that dalek's verify_strict accepts. */
const SPECCHECK_VALID = 3;

export function wycheproofCases(): Ed25519Case[] {
  const { testGroups } = JSON.parse(read('wycheproof/ed25519_test.json').toString());
  return (testGroups as WycheproofGroup[]).flatMap(({ publicKey, tests }) =>
    tests.map(({ tcId, msg, sig, result }) => ({
      name: `wycheproof ${tcId}`,
      message: bytes(msg),
      publicKey: bytes(publicKey.pk),
      signature: bytes(sig),
      valid: result === 'valid',
    })),
  );
}

export function speccheckCases(): Ed25519Case[] {
  const cases = JSON.parse(read('ed25519-speccheck/cases.json').toString()) as SpeccheckCase[];
  return cases.map(({ message, pub_key, signature }, index) => ({
    name: `speccheck ${index}`,
    message: bytes(message),
    publicKey: bytes(pub_key),
    signature: bytes(signature),
    valid: index === SPECCHECK_VALID,
  }));
}

/** Every file of JSONTestSuite, by name. */
export function jsonTestSuite(): { name: string; bytes: Buffer }[] {
  const names = readdirSync(`${folder}jsontestsuite/test_parsing`).sort();
  return names.map((name) => ({ name, bytes: read(`jsontestsuite/test_parsing/${name}`) }));
}

const P = 2n ** 255n - 19n;
const ORDER_8 = [
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
];

const encoded = (y: bigint): Buffer => bytes(y.toString(16).padStart(64, '0')).reverse();

function withSignBit(point: Buffer): Buffer {
  const copy = Buffer.from(point);
  copy[31] = (copy[31] ?? 0) | 0x80;
  return copy;
}

/** All 14 encodings of the points of order 1, 2, 4 and 8, those beyond p included. */
export function smallOrderPoints(): Buffer[] {
  const points = [...[0n, 1n, P - 1n, P, P + 1n].map(encoded), ...ORDER_8.map(bytes)];
  return points.flatMap((point) => [point, withSignBit(point)]);
}

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
