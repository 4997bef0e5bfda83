import type { SignInChallenge } from '@asset-gateway/client';
import { routes } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { exampleOf } from '../http/targets.ts';
import { everyThird } from '../kit/rounds.ts';
import { encodeHeader, newSigner } from '../kit/wallet.ts';
import { refusedWith, statusOf } from './craft.ts';
import { openDirect, PORT } from './direct-gateway.ts';
import { type Changes, HEALTH, SEARCH, signedPayload } from './payload.ts';
import { jsonTestSuite } from './vectors.ts';

const direct = await openDirect();
const { origin } = direct;

const HEADER = 'invalid_siwx_header';
const DOMAIN = 'invalid_siwx_domain_mismatch';
const URI = 'invalid_siwx_uri_mismatch';
const CHAIN = 'invalid_siwx_unsupported_chain';
const SIGNATURE = 'invalid_siwx_signature';
const MALFORMED = 'invalid_siwx_malformed_signature';

/** A challenge, a good sign-in for it, and two ways to spoil that. */
interface Attempt {
  readonly challenge: SignInChallenge;
  readonly genuine: Readonly<Record<string, unknown>>;
  /** Fields that the wallet signs. */
  signed(changes: Changes): Promise<string>;
  /** Fields that are changed after signing. */
  changed(changes: Changes): string;
}

type Row = readonly [title: string, code: string, headers: (attempt: Attempt) => Promise<string>[] | string[]];

/** Sends each header: all are refused for free, and the challenge still opens the route. */
async function expectRefused(code: string, headersOf: Row[2]): Promise<void> {
  const signer = newSigner();
  const challenge = await direct.challenge();
  const genuine = await signedPayload(challenge, {}, signer);
  const signed = async (changes: Changes) => encodeHeader(await signedPayload(challenge, changes, signer));
  const changed = (changes: Changes) => encodeHeader({ ...genuine, ...changes });
  const headers = await Promise.all(headersOf({ challenge, genuine, signed, changed }));
  await direct.costsNothing(async () => {
    for (const header of headers) await refusedWith(code, direct.askWith(header));
  });
  expect(await statusOf(direct.askWith(encodeHeader(genuine)))).toBe(200);
}

const check = (rows: readonly Row[]): void =>
  it.each(rows)('%s: %s', (_, code, headersOf) => expectRefused(code, headersOf));

describe('S3 a header for one of the free routes', () => {
  const examples = routes.filter(({ access }) => access === 'siwx').map((row) => exampleOf(row));

  it('opens no other route, and stays valid for its own', async () => {
    for (const [index, example] of examples.entries()) {
      const header = encodeHeader(await signedPayload(await direct.challenge(example.target, example.init)));
      const send = ({ target, init }: typeof example) =>
        direct.ask(target, { ...init.headers, 'SIGN-IN-WITH-X': header }, init);
      await direct.costsNothing(async () => {
        for (const other of everyThird(examples, index).filter((each) => each !== example))
          await refusedWith(URI, send(other));
      });
      expect(await statusOf(send(example)), example.target).toBe(200);
    }
  });

  it('does not open it with another query', async () => {
    const header = encodeHeader(await signedPayload(await direct.challenge()));
    await direct.costsNothing(async () => {
      for (const target of [`${SEARCH}&limit=5`, SEARCH.replace('q=sol', 'q=usdc'), SEARCH.replace('?q=sol', '')])
        await refusedWith(URI, direct.askWith(header, target));
    });
  });

  it.each(['?undefined', '?null', '?q=sol', '?'])('does not open its bare path if signed for %s', async (query) => {
    const changes = { uri: `${origin}${HEALTH}${query}` };
    await direct.costsNothing(() => refusedWith(URI, direct.askFreshly(HEALTH, changes)));
  });

  it.each([
    ['the bare origin', ''],
    ['the origin with a slash', '/'],
    ['the path without a query', '/v1/x402/tokens/assets/search'],
  ])('opens it when signed for %s', async (_, path) => {
    expect(await statusOf(direct.askFreshly(SEARCH, { uri: `${origin}${path}` }))).toBe(200);
  });
});

const OTHER_HOSTS: Readonly<Record<string, string>> = {
  'another host': 'api.example.com',
  'a host that begins with ours': `127.0.0.1:${PORT}.evil.test`,
  'ours as the user of another host': `127.0.0.1:${PORT}@evil.test`,
  'another port': `127.0.0.1:${PORT - 1}`,
  'no port': '127.0.0.1',
  'a trailing dot': `127.0.0.1.:${PORT}`,
  'another name of this machine': `localhost:${PORT}`,
  'a short form of the address': `127.1:${PORT}`,
  'a look-alike digit': `127.0.0.\u0661:${PORT}`,
  'a punycode name': `xn--127-5cd.test:${PORT}`,
  'a space after the host': `127.0.0.1:${PORT} `,
};

it.each([['upper case', `LOCALHOST:${PORT}`], ['the whole origin', origin], ...Object.entries(OTHER_HOSTS)])(
  'S4 another domain: %s',
  (_, domain) => expectRefused(DOMAIN, ({ signed }) => [signed({ domain })]),
);

it.each<readonly [title: string, uri: string]>([
  ['https', origin.replace('http:', 'https:') + SEARCH],
  ['another scheme', origin.replace('http:', 'ws:') + SEARCH],
  ['an upper-case scheme', origin.replace('http:', 'HTTP:') + SEARCH],
  ['a path after the host', `${origin}/${SEARCH}`],
  ['a fragment', `${origin}${SEARCH}#a`],
  ['a dot segment', `${origin}/v1/../v1/x402/tokens/assets/search?q=sol`],
  ['an escaped letter', `${origin}${SEARCH.replace('search', '%73earch')}`],
  ['a prefix of the path', `${origin}/v1/x402/tokens/assets`],
  ['no origin', SEARCH],
  ['no URL', 'about:blank'],
  ...Object.entries(OTHER_HOSTS).map(([title, host]) => [title, `http://${host}${SEARCH}`] as const),
])('S4 another uri: %s', (_, uri) => expectRefused(URI, ({ signed }) => [signed({ uri })]));

it('S5 a nonce that was swapped in after signing, or is of another deployment', async () => {
  const { info } = await direct.challenge();
  await expectRefused(SIGNATURE, ({ changed }) => [changed({ nonce: info.nonce })]);
  const { nonce } = (await (await openDirect()).challenge()).info;
  await expectRefused('invalid_siwx_nonce', ({ signed }) => [signed({ nonce }), signed({ nonce: `${info.nonce}0` })]);
});

describe('S9 another chain or kind of key', () => {
  const unsupported: Readonly<Record<string, Changes>> = {
    testnet: { chainId: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z' },
    Ethereum: { chainId: 'eip155:1' },
    'a chain that begins with ours': { chainId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:x' },
    'a chain reference alone': { chainId: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
    'a chain by name': { chainId: 'solana:mainnet' },
    'type eip191': { type: 'eip191' },
    'type in upper case': { type: 'ED25519' },
    'scheme eip1271': { signatureScheme: 'eip1271' },
    'scheme eip191': { signatureScheme: 'eip191' },
  };
  check([
    ...Object.entries(unsupported).map(([title, changes]): Row => [title, CHAIN, ({ signed }) => [signed(changes)]]),
    ['another message version', HEADER, ({ signed }) => ['2', '1.0', '01'].map((version) => signed({ version }))],
  ]);

  it('is not offered: each of the two chains of the challenge opens the route', async () => {
    const { supportedChains } = await direct.challenge();
    expect(supportedChains).toHaveLength(2);
    for (const { chainId } of supportedChains) expect(await statusOf(direct.askFreshly(SEARCH, { chainId }))).toBe(200);
  });
});

describe('S10 a spoilt signature', () => {
  const textOf = (signature: string | Uint8Array) =>
    typeof signature === 'string' ? signature : bs58.encode(signature);
  const signatures =
    (change: (signature: Buffer) => (string | Uint8Array)[]): Row[2] =>
    ({ genuine, changed }) => {
      const spoilt = change(Buffer.from(bs58.decode(String(genuine.signature))));
      return spoilt.map((each) => changed({ signature: textOf(each) }));
    };
  const respelled = (text: string) => [`1${text}`, ` ${text}`, `${text}0`, '1'.repeat(1000)];
  const ADDRESSES = ['1'.repeat(31), '1'.repeat(45), 'z'.repeat(44), 'O'.repeat(40), bs58.encode(Buffer.alloc(31, 9))];
  check([
    ['of another length', MALFORMED, signatures((all) => [all.subarray(0, 63), Buffer.concat([all, Buffer.of(1)])])],
    ['of no value', SIGNATURE, signatures((bytes) => [Buffer.alloc(64), Buffer.from(bytes).reverse()])],
    ['hex or base64', MALFORMED, signatures((bytes) => [bytes.toString('hex'), bytes.toString('base64')])],
    ['base58 that is not canonical', MALFORMED, signatures((bytes) => respelled(bs58.encode(bytes)))],
    ['an invalid address', MALFORMED, ({ changed }) => ADDRESSES.map((address) => changed({ address }))],
  ]);
});

const REQUIRED = ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'];
const OPTIONAL = ['statement', 'expirationTime', 'notBefore', 'requestId', 'signatureScheme'];

describe('S12 a control character', () => {
  const characters = ['\n', '\r', '\0', '\u0001', '\t', '\u001f', '\u007f', '\u0085', '\u2028', '\u2029'];
  check([
    ...[...REQUIRED, ...OPTIONAL].map(
      (field): Row => [
        `in ${field}`,
        HEADER,
        ({ genuine, signed, changed }) => {
          const values = characters.map((character) => ({ [field]: `${genuine[field] ?? ''}${character}` }));
          return [...values.map(signed), ...values.map(async (value) => changed(value))];
        },
      ],
    ),
    ['in resources', HEADER, ({ signed }) => characters.map((each) => signed({ resources: ['a', `b${each}`] }))],
  ]);

  it('makes no signature read as two payloads with two nonces', async () => {
    const { info, supportedChains } = await direct.challenge();
    const chain = supportedChains[0]?.chainId.split(':')[1];
    const uri = `${info.uri}\nVersion: 1\nChain ID: ${chain}\nNonce: ${info.nonce}`;
    await expectRefused(HEADER, ({ signed }) => [signed({ uri })]);
  });
});

describe('S13 the size of a sign-in', () => {
  const padded = async (length: number): Promise<string> => {
    const [challenge, signer] = [await direct.challenge(), newSigner()];
    const withResources = (resources: string[]) => signedPayload(challenge, { resources }, signer).then(encodeHeader);
    const fill = Math.floor(((length - (await withResources(['', '', '', ''])).length) * 3) / 4);
    const header = await withResources([1, 2, 3, 4].map((part) => 'r'.repeat(Math.floor((fill + part - 1) / 4))));
    // The base58 of another signature may be a digit longer or shorter.
    return header.length === length ? header : padded(length);
  };

  it('is at most 4 KiB', async () => {
    const [fitting, larger] = [await padded(4096), await padded(4100)];
    expect([fitting.length, larger.length]).toEqual([4096, 4100]);
    expect(await statusOf(direct.askWith(fitting))).toBe(200);
    await direct.costsNothing(() => refusedWith(HEADER, direct.askWith(larger)));
  });

  it('allows 8 resources, and 1,024 characters a field', async () => {
    const tooLarge = [{ statement: 's'.repeat(1025) }, { resources: ['r'.repeat(1025)] }];
    await expectRefused(HEADER, ({ signed }) => [{ resources: Array(9).fill('r') }, ...tooLarge].map(signed));
    for (const changes of [{ resources: Array(8).fill('r') }, { statement: 's'.repeat(1024) }])
      expect(await statusOf(direct.askFreshly(SEARCH, changes))).toBe(200);
  });
});

describe('S17 a value of another type', () => {
  const wrongTypes: readonly unknown[] = [null, 1, true, ['text'], { toString: 'text' }, ''];
  const rowOf = (field: string, values: readonly unknown[]): Row => [
    ...([`in ${field}`, HEADER] as const),
    ({ changed }) => values.map((value) => changed({ [field]: value })),
  ];
  check([
    ...REQUIRED.map((field) => rowOf(field, [undefined, ...wrongTypes])),
    ...[...OPTIONAL, 'resources'].map((field) => rowOf(field, [null, 1, true, { a: 1 }, [1], [['a']], [null]])),
  ]);
});

const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');

describe('S14 a malformed header', () => {
  const NO_PAYLOADS = ['null', '[]', '1', '1e999', '""', 'true', '{}'];

  it('of anything but canonical base64 of JSON in UTF-8', async () => {
    await expectRefused(HEADER, ({ genuine }) => {
      const [json, header] = [JSON.stringify(genuine), encodeHeader(genuine)];
      const noBase64 = ['', ' ', '=', '====', `${header}=`, `${header}====`, `.${header}`, ` ${header}`, json];
      const broken = [' ', '-_'].map((piece) => `${header.slice(0, 40)}${piece}${header.slice(40 + piece.length - 1)}`);
      const bytes = [Buffer.from(json, 'utf16le'), Buffer.concat([Buffer.from(json), Buffer.of(0xff)])];
      const texts = [`\ufeff${json}`, json + json, `${json},`, `[${json}]`, `"${header}"`, ...NO_PAYLOADS];
      return [...noBase64, ...broken, encodeURIComponent(`${header}=`), ...bytes.map(base64), ...texts.map(base64)];
    });
  });

  it('is not repeated in the answer', async () => {
    const header = base64('{"domain":"<script>evil</script>"');
    const response = await direct.askWith(header);
    const shown = `${JSON.stringify([...response.headers])}${await response.text()}`;
    expect([response.status, shown.includes('evil'), shown.includes(header.slice(0, 20))]).toEqual([402, false, false]);
  });
});

const member = (name: string, value: unknown): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`;

/** JSON text with a duplicate key: this value first, the payload's own last. */
const twice = (payload: Record<string, unknown>, name: string, first: unknown): string =>
  base64(`{${[[name, first] as const, ...Object.entries(payload)].map(([key, value]) => member(key, value)).join()}}`);

describe('S15 a duplicate key: the last value counts', () => {
  it.each(['nonce', 'uri', 'address', 'domain', 'signature', 'issuedAt', 'expirationTime', 'statement'])(
    '%s: accepted if the last value is the signed one',
    async (name) => {
      const payload = await signedPayload(await direct.challenge());
      const other = await signedPayload(await direct.challenge(), { uri: direct.origin, statement: 'another' });
      const { [name]: value, ...rest } = payload;
      const { length } = direct.lines;
      expect(await statusOf(direct.askWith(twice({ ...rest, [name]: value }, name, other[name])))).toBe(200);
      expect(direct.lines[length]?.wallet).toBe(payload.address);
      await refusedWith('invalid_siwx_nonce', direct.askWith(encodeHeader(payload)));
      expect(await statusOf(direct.askWith(encodeHeader(other)))).toBe(200);
    },
  );

  it.each(['nonce', 'uri', 'address', 'statement'])('%s: refused if the first value is signed', async (name) => {
    const payload = await signedPayload(await direct.challenge());
    const other = await signedPayload(await direct.challenge(), { uri: direct.origin, statement: 'another' });
    const swapped = twice({ ...payload, [name]: other[name] }, name, payload[name]);
    await direct.costsNothing(() => refusedWith('invalid_siwx_signature', direct.askWith(swapped)));
    for (const genuine of [payload, other]) expect(await statusOf(direct.askWith(encodeHeader(genuine)))).toBe(200);
  });
});

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

function expectCleanPrototypes(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  for (const each of [{}, []]) expect(Reflect.get(each, 'polluted')).toBeUndefined();
}

describe('S16 a payload does not pollute prototypes', () => {
  it('with special keys in a good sign-in', async () => {
    for (const name of NAMES) {
      const payload = await signedPayload(await direct.challenge());
      expect(await statusOf(direct.askWith(twice(payload, name, { polluted: true })))).toBe(200);
      expectCleanPrototypes();
    }
  });

  it('with its fields in a special key', async () => {
    const payload = await signedPayload(await direct.challenge());
    await direct.costsNothing(async () => {
      for (const name of NAMES) {
        await refusedWith(HEADER, direct.askWith(base64(`{${member(name, payload)}}`)));
        const named = { ...payload, chainId: name, type: name, [name]: { polluted: name } };
        await refusedWith(CHAIN, direct.askWith(encodeHeader(named)));
        expectCleanPrototypes();
      }
    });
  });
});

describe('S17 a payload of another shape', () => {
  it('is refused: 100,000 resources, or 10,000 nested arrays', async () => {
    const genuine = await signedPayload(await direct.challenge());
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const json = JSON.stringify(genuine);
    await direct.costsNothing(async () => {
      const many = encodeHeader({ ...genuine, resources: Array(100_000).fill('r') });
      for (const header of [many, base64(deep), base64(json.replace('{', `{"a":${deep},`))])
        await refusedWith(HEADER, direct.askWith(header));
    });
    expect(await statusOf(direct.askWith(encodeHeader(genuine)))).toBe(200);
  });
});

it('S14 JSONTestSuite as headers: each of its 318 files is refused', { timeout: 90_000 }, async () => {
  const files = jsonTestSuite();
  expect(files).toHaveLength(318);
  await direct.costsNothing(async () => {
    for (const { bytes } of everyThird(files, 0)) await refusedWith(HEADER, direct.askWith(bytes.toString('base64')));
  });
});
