import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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
