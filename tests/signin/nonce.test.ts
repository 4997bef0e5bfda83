import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { newSigner } from '@asset-gateway/client/node';
import { decodeBase58, Refusal, type SiwxMessage, siwxExtension, siwxMessageText } from '@asset-gateway/protocol';
import { createSignInMessageText } from '@solana/wallet-standard-util';
import { type CompleteSIWxInfo, createSIWxMessage } from '@x402/extensions/sign-in-with-x';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Crypto,
  decodeBase64,
  decodeJsonHeader,
  equalSecrets,
  nodeCrypto,
} from '../../packages/gateway/src/crypto.ts';
import { signInInfo } from '../../packages/gateway/src/gates/siwx/gate.ts';
import { Nonces } from '../../packages/gateway/src/gates/siwx/nonce.ts';
import { readSignIn, readValidSignIn } from '../../packages/gateway/src/gates/siwx/sign-in.ts';
import { createMatch } from '../../packages/gateway/src/stages/match.ts';
import { rowOf } from '../http/targets.ts';
import { samples } from '../kit/rounds.ts';
import { standIn } from '../kit/stand-in.ts';
import { encodeHeader } from '../kit/wallet.ts';
import { compact, SEARCH, signedPayload } from './payload.ts';
import {
  type Ed25519Case,
  forge,
  malleated,
  smallOrderPoints,
  speccheckCases,
  verifyLeniently,
  wycheproofCases,
} from './vectors.ts';

const SECRET = 'a secret of at least 32 characters, one';
const OTHER_SECRET = 'a secret of at least 32 characters, two';
const ORIGIN = 'https://gw.example';
const EPOCH = 'epoch';
const NOW = Date.UTC(2026, 10, 20);

const onNode = new Nonces(nodeCrypto, [SECRET]);

const issued = (nonces = onNode): string => nonces.issue(ORIGIN, EPOCH, NOW);
const isRead = (nonce: string, { nonces = onNode, origin = ORIGIN, epoch = EPOCH, now = NOW } = {}): boolean =>
  nonces.read(nonce, origin, epoch, now) !== undefined;

/** All bytes that differ from these in one bit. */
function* inOneBit(bytes: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield damaged;
  }
}

describe('nonces', () => {
  it('are 32 lower-case hex digits and unique', () => {
    const nonces = Array.from({ length: 10_000 }, () => issued());
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  it('keep their time of issue for 90 days', () => {
    const times = fc.tuple(fc.integer({ min: 0, max: 4_000_000_000 }), fc.integer({ min: -7_776_000, max: 7_776_000 }));
    fc.assert(
      fc.property(times, ([seconds, later]) => {
        const nonce = onNode.issue(ORIGIN, EPOCH, seconds * 1000);
        expect(onNode.read(nonce, ORIGIN, EPOCH, (seconds + later) * 1000)?.issuedAtSeconds).toBe(seconds);
      }),
      { numRuns: samples(1_000) },
    );
  });
});

describe('S5 a nonce is refused that', () => {
  it.each<[string, Parameters<typeof isRead>[1]]>([
    ['was issued for another origin', { origin: 'https://gw.example:8443' }],
    ['was issued under another epoch', { epoch: 'epoch2' }],
    ['was issued with another secret', { nonces: new Nonces(nodeCrypto, [OTHER_SECRET]) }],
  ])('%s', (_, elsewhere) => {
    const nonce = issued();
    expect(isRead(nonce)).toBe(true);
    expect(isRead(nonce, elsewhere)).toBe(false);
  });

  it('is written in another way', () => {
    const nonce = issued();
    const longer = [`${nonce}0`, ` ${nonce}`, `${nonce}\n`, `0x${nonce}`];
    const spellings = [nonce.toUpperCase(), nonce.slice(0, 31), ...longer, ''];
    for (const spelling of spellings.filter((each) => each !== nonce)) expect(isRead(spelling)).toBe(false);
  });

  it('differs in one bit', () => {
    for (const damaged of inOneBit(Buffer.from(issued(), 'hex'))) expect(isRead(damaged.toString('hex'))).toBe(false);
  });

  it('is so old that its three-byte time has wrapped', () => {
    expect(isRead(issued(), { now: NOW + 2 ** 24 * 1000 })).toBe(false);
  });
});

describe('rotating secrets', () => {
  const rotation = (...secrets: string[]): Nonces => new Nonces(nodeCrypto as Crypto, secrets);

  it('a nonce of the second secret is accepted', () => {
    expect(isRead(issued(rotation(OTHER_SECRET)), { nonces: rotation(SECRET, OTHER_SECRET) })).toBe(true);
  });

  it('only the first secret issues nonces', () => {
    const nonce = issued(rotation(SECRET, OTHER_SECRET));
    expect(isRead(nonce, { nonces: rotation(SECRET) })).toBe(true);
    expect(isRead(nonce, { nonces: rotation(OTHER_SECRET) })).toBe(false);
  });
});

const match = createMatch([{ route: rowOf('tokens.search') }]);
const fixed = { method: 'GET', target: SEARCH, hosts: [], port: 0, body: Buffer.of(), client: '' };

/** A sign-in with this nonce, whose dates are of this time, with changed fields. */
const signedAt = (nonce: string, nowMs: number, changes = {}) =>
  signedPayload(
    siwxExtension(signInInfo(ORIGIN, { uri: ORIGIN + SEARCH, nonce, nowMs, statement: 'Sign in.' })),
    changes,
  );

/** The code and the reason of the refusal of a payload at this time, or "valid". */
function outcomeOf(payload: object, { nowMs = NOW, judgedByStore = false, crypto = nodeCrypto } = {}): string[] {
  const clocks = { now: () => nowMs, wallNow: () => nowMs };
  const rule = { origin: ORIGIN, epoch: EPOCH, judgedByStore };
  const call = match({ ...fixed, headers: { 'sign-in-with-x': encodeHeader(payload) } });
  try {
    readValidSignIn({ crypto, nonces: onNode, clocks }, call, rule);
    return ['valid'];
  } catch (error) {
    return error instanceof Refusal ? [error.code, error.message] : [String(error)];
  }
}
const codeOf = (...parts: Parameters<typeof outcomeOf>): string | undefined => outcomeOf(...parts)[0];

const ATTEMPTS = samples(10_000);

it(`S5 no signature is verified over an invented nonce, of ${ATTEMPTS} random ones`, async () => {
  let verified = 0;
  const crypto: Crypto = { ...nodeCrypto, verify: (...parts) => ++verified > 0 && nodeCrypto.verify(...parts) };
  const genuine = await signedAt(issued(), NOW);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const nonce = randomBytes(16).toString('hex');
    expect(codeOf({ ...genuine, nonce }, { crypto })).toBe('invalid_siwx_nonce');
  }
  expect(verified).toBe(0);
  expect([codeOf(genuine, { crypto }), verified]).toEqual(['valid', 1]);
});

describe('a nonce is accepted from 30 s before its time of issue until 300 s after it', () => {
  it.each([
    ['by this node alone', false, -30, 300],
    ['with 30 s more each way where the store checks again', true, -60, 330],
  ])('%s', async (_, judgedByStore, first, last) => {
    const codes: (string | undefined)[] = [];
    for (const age of [first - 1, first, last, last + 1]) {
      const nowMs = NOW + age * 1000;
      codes.push(codeOf(await signedAt(issued(), nowMs), { nowMs, judgedByStore }));
    }
    expect(codes).toEqual(['invalid_siwx_expired', 'valid', 'valid', 'invalid_siwx_expired']);
  });
});

it('a sign-in that echoes the dates of its challenge is judged by its nonce alone', async () => {
  const echo = await signedAt(issued(), NOW, { expirationTime: undefined });
  const codes = [330, 331].map((age) => codeOf(echo, { nowMs: NOW + age * 1000, judgedByStore: true }));
  expect(codes).toEqual(['valid', 'invalid_siwx_expired']);
});

const date = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();

it.each<[object, string[]]>([
  [{ issuedAt: date(-300) }, ['valid']],
  [{ issuedAt: date(-300.001) }, ['invalid_siwx_issued_at_too_old', 'issuedAt']],
  [{ issuedAt: date(30) }, ['valid']],
  [{ issuedAt: date(30.001) }, ['invalid_siwx_issued_at_in_future', 'issuedAt']],
  [{ notBefore: date(30) }, ['valid']],
  [{ notBefore: date(30.001) }, ['invalid_siwx_not_yet_valid', 'notBefore']],
  [{ expirationTime: date(0) }, ['valid']],
  [{ expirationTime: date(-0.001) }, ['invalid_siwx_expired', 'expirationTime']],
  [{ issuedAt: '2026-11-20T00:00:00Z' }, ['valid']],
  [{ issuedAt: '2026-11-20T00:00:00.123456789Z' }, ['valid']],
  [{ issuedAt: '2026-11-20T00:00:00.1234567890Z' }, ['invalid_siwx_header', 'issuedAt']],
  [{ issuedAt: '+002026-11-20T00:00:00Z' }, ['invalid_siwx_header', 'issuedAt']],
  [{ notBefore: '2026-02-31T00:00:00Z' }, ['invalid_siwx_header', 'notBefore']],
  [{ expirationTime: '2026-11-20T00:00:00Z ' }, ['invalid_siwx_header', 'expirationTime']],
  [{ chainId: 'solana:other' }, ['invalid_siwx_unsupported_chain', 'chainId']],
  [{ type: 'secp256k1' }, ['invalid_siwx_unsupported_chain', 'type']],
  [{ signatureScheme: 'eip191' }, ['invalid_siwx_unsupported_chain', 'signatureScheme']],
  [{ version: '2' }, ['invalid_siwx_header', 'version']],
  [{ domain: 'other.example' }, ['invalid_siwx_domain_mismatch', 'domain']],
  [{ uri: `${ORIGIN}${SEARCH}x` }, ['invalid_siwx_uri_mismatch', 'uri']],
  [{ address: `${'1'.repeat(31)}0` }, ['invalid_siwx_malformed_signature', 'address']],
])('a sign-in with %o is %j, at the boundary and with the reason in the log', async (changes, outcome) => {
  expect(outcomeOf(await signedAt(issued(), NOW, changes))).toEqual(outcome);
});

it.each(['', '1'.repeat(10_000), `${'1'.repeat(63)}l`])('a signature of other form is malformed', async (signature) => {
  const outcome = outcomeOf({ ...(await signedAt(issued(), NOW)), signature });
  expect(outcome[0]).toMatch(/^invalid_siwx_(?:malformed_signature|header)$/);
});

const accepts = ({ signature, message, publicKey }: Ed25519Case): boolean =>
  nodeCrypto.verify(signature, message, publicKey);

/** A signature without a key: with S = 0 and a key of small order, R alone can satisfy the equation. */
const keyless = (r: Buffer): Buffer => Buffer.concat([r, Buffer.alloc(32)]);

describe('Ed25519', () => {
  it('S10 agrees with every Wycheproof case', () => {
    const cases = wycheproofCases();
    expect(cases).toHaveLength(151);
    expect(cases.filter((each) => accepts(each) !== each.valid).map(({ name }) => name)).toEqual([]);
  });

  it('S10 agrees with a strict verifier on every speccheck case', () => {
    const verdicts = speccheckCases().map((each) => (accepts(each) ? 'V' : 'X'));
    expect(verdicts.join(' ')).toBe('X X X V X X X X X X X X');
  });

  it('S10 refuses a truncated, extended, malleated or damaged signature', async () => {
    const [signer, message] = [newSigner(), randomBytes(80)];
    const key = bs58.decode(signer.address);
    const signature = Buffer.from(await signer.signMessage(message));
    expect(nodeCrypto.verify(signature, message, key)).toBe(true);
    const longer = Buffer.concat([signature, Buffer.alloc(1)]);
    for (const each of [Buffer.alloc(0), signature.subarray(0, 63), longer, malleated(signature)])
      expect(nodeCrypto.verify(each, message, key)).toBe(false);
    for (const damaged of inOneBit(signature)) expect(nodeCrypto.verify(damaged, message, key)).toBe(false);
  });

  it('S11 refuses a signature made without a key for a point of small order', () => {
    let dangerous = 0;
    for (const publicKey of smallOrderPoints()) {
      for (const r of smallOrderPoints()) {
        const message = randomBytes(64);
        if (verifyLeniently(keyless(r), message, publicKey)) dangerous++;
        expect(nodeCrypto.verify(keyless(r), message, publicKey)).toBe(false);
      }
    }
    expect(dangerous).toBeGreaterThan(0);
  });

  it('S11 refuses a signature with a well-formed R for a point of small order', () => {
    const points = smallOrderPoints();
    expect(new Set(points.map((point) => point.toString('hex'))).size).toBe(14);
    for (const publicKey of points) {
      const { signature, message } = forge(publicKey, (attempt) => `message ${attempt}`);
      expect(nodeCrypto.verify(signature, Buffer.from(message), publicKey)).toBe(false);
    }
  });

  it('S10 refuses the key 0 in its spelling beyond p, of whose forgeries OpenSSL takes one in four', () => {
    const zero = Buffer.from(`ed${'ff'.repeat(30)}7f`, 'hex');
    for (let count = 0; count < 32; count++) {
      const { signature, message } = forge(zero, (attempt) => `message ${count} ${attempt}`);
      expect(nodeCrypto.verify(signature, Buffer.from(message), zero)).toBe(false);
    }
  });

  it('S10 refuses a key of another length without throwing', () => {
    for (const length of [0, 31, 33, 64]) {
      expect(nodeCrypto.verify(randomBytes(64), randomBytes(10), randomBytes(length))).toBe(false);
    }
  });
});

it('a MAC is the first half of HMAC-SHA-512, as in RFC 4231', () => {
  const mac = nodeCrypto.mac(Buffer.alloc(20, 0x0b), Buffer.from('Hi There'));
  expect(mac.toString('hex')).toBe('87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde');
});

it('S25 secrets of unequal length compare as different without throwing', () => {
  const secret = randomBytes(32);
  expect(equalSecrets(secret, Buffer.from(secret))).toBe(true);
  expect(equalSecrets(secret, randomBytes(32))).toBe(false);
  for (const length of [0, 1, 31, 33, 64]) {
    const other = Buffer.concat([secret, secret]).subarray(0, length);
    expect(equalSecrets(secret, other)).toBe(false);
    expect(equalSecrets(other, secret)).toBe(false);
  }
});

it('base64 decodes padded and unpadded, and in no other spelling of the same bytes', () => {
  const check = (bytes: Uint8Array) => {
    const padded = Buffer.from(bytes).toString('base64');
    for (const text of [padded, padded.replaceAll('=', '')]) expect(decodeBase64(text)).toEqual(Buffer.from(bytes));
  };
  fc.assert(fc.property(fc.uint8Array({ minLength: 1, maxLength: 9 }), check), { numRuns: samples(300) });
  const others = ['', '=', 'A', 'AB', 'AB==', 'AA=', 'AAB', 'AAB=', 'AAA==', 'AAAA=', 'AA-_', 'AA AA', 'AAAA\n'];
  for (const text of others) expect([text, decodeBase64(text)]).toEqual([text, undefined]);
});

it('a header of JSON is UTF-8 without a byte order mark, in base64', () => {
  const json = '{"a":"ö"}';
  expect(decodeJsonHeader(Buffer.from(json).toString('base64'))).toEqual({ a: 'ö' });
  const others = [Buffer.from(json, 'latin1'), Buffer.from(`\ufeff${json}`), Buffer.from('{'), Buffer.of()];
  for (const bytes of others) expect(decodeJsonHeader(bytes.toString('base64'))).toBeUndefined();
  for (const text of ['1', json]) expect(decodeJsonHeader(text)).toBeUndefined();
});

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The bytes that bs58 decodes, if there are this many. */
function expected(text: string, length: number): Uint8Array | undefined {
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === length ? bytes : undefined;
}

it.each([32, 64])('base58 of %i bytes decodes, leading zeros included', (length) => {
  for (let zeros = 0; zeros <= length; zeros++) {
    const bytes = Buffer.concat([Buffer.alloc(zeros), randomBytes(length - zeros)]);
    expect(decodeBase58(bs58.encode(bytes), length)).toEqual(Uint8Array.from(bytes));
  }
});

it.each([32, 64])('other texts decode if they are %i bytes, and never otherwise', (length) => {
  const digits = fc.constantFrom(...DIGITS, '1', 'z', 'z');
  const texts = fc.string({ unit: digits, minLength: Math.floor(length * 1.3), maxLength: Math.ceil(length * 1.4) });
  const others = fc.string({ unit: fc.constantFrom(...DIGITS, '0', 'O', 'l', ' ', '\u00e9', '\u0131') });
  const decodes = fc.property(fc.oneof(texts, others), (text) => {
    expect(decodeBase58(text, length)).toEqual(expected(text, length));
  });
  fc.assert(decodes, { numRuns: samples(2_000) });
});

interface Vector {
  readonly message: string;
  readonly payload: SiwxMessage & { readonly signature: string };
  readonly header: string;
}

const file = new URL('../vectors/x402-vectors.json', import.meta.url);
const { siwx: vectors } = JSON.parse(readFileSync(file, 'utf8')) as { siwx: Vector[] };

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const maybe = fc.option(fc.string({ unit: 'grapheme', maxLength: 60 }), { nil: undefined });

const always = { domain: text, address: text, uri: text, version: text, nonce: text, issuedAt: text };
const chainId = fc.stringMatching(/^solana:[1-9A-HJ-NP-Za-km-z]{1,32}$/);
const resources = fc.option(fc.array(text, { minLength: 1, maxLength: 8 }), { nil: undefined });
const optional = { statement: maybe, expirationTime: maybe, notBefore: maybe, requestId: maybe, resources };
const requiredKeys = [...(Object.keys(always) as (keyof typeof always)[]), 'chainId'] as const;
const messages = fc.record({ ...always, chainId, ...optional }, { requiredKeys: [...requiredKeys] });

it('the message text equals the text of the wallet standard and of the official client', () => {
  fc.assert(
    fc.property(messages, (fields) => {
      const message = standIn<SiwxMessage>(compact(fields));
      const chainId = message.chainId.slice('solana:'.length);
      expect(siwxMessageText(message)).toBe(createSignInMessageText({ ...message, chainId }));
      const info = standIn<CompleteSIWxInfo>({ ...message, type: 'ed25519' });
      expect(siwxMessageText(message)).toBe(createSIWxMessage(info, message.address));
    }),
    { numRuns: samples(5_000) },
  );
});

expect(vectors).toHaveLength(3);
it.each(vectors)('a published vector has the same text, payload and signature ($payload.chainId)', (vector) => {
  expect(siwxMessageText(vector.payload)).toBe(vector.message);
  expect(readSignIn(vector.header)).toEqual(vector.payload);
  const [signature, address] = [bs58.decode(vector.payload.signature), bs58.decode(vector.payload.address)];
  expect(nodeCrypto.verify(signature, Buffer.from(vector.message), address)).toBe(true);
});
