import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { challengeFor, encodeHeader, newSigner } from '../kit/wallet.ts';
import {
  askFreshly,
  askWith,
  type Changes,
  challengeOf,
  costsNothing,
  refusedWith,
  SEARCH,
  signedPayload,
  statusOf,
} from './craft.ts';
import { type Example, exampleOf } from './examples.ts';
import { openSignIn } from './gateway.ts';

const { gateway, asker } = await openSignIn();

const send = ({ target, init }: Example, header: string): Promise<Response> =>
  fetch(`${gateway.url}${target}`, { ...init, headers: { ...init.headers, 'SIGN-IN-WITH-X': header } });

describe('S3 a header for one route opens no other', () => {
  const examples = routes.filter(({ access }) => access === 'siwx').map((row) => exampleOf(row));

  it('of 19 routes: the other 18 refuse it, and it stays good for its own', async () => {
    expect(examples).toHaveLength(19);
    for (const example of examples) {
      const header = encodeHeader(
        await signedPayload(await challengeFor(`${gateway.url}${example.target}`, example.init)),
      );
      await costsNothing(gateway, asker, async () => {
        const others = examples.filter((other) => other !== example);
        await Promise.all(others.map((other) => refusedWith('invalid_siwx_uri_mismatch', send(other, header))));
      });
      expect(await statusOf(send(example, header)), example.target).toBe(200);
    }
  });

  it('nor its own with another query or none, where it was signed with one', async () => {
    const header = encodeHeader(await signedPayload(await challengeOf(asker, SEARCH)));
    await costsNothing(gateway, asker, async () => {
      for (const target of [`${SEARCH}&limit=5`, SEARCH.replace('q=sol', 'q=usdc'), SEARCH.replace('?q=sol', '')]) {
        await refusedWith('invalid_siwx_uri_mismatch', askWith(asker, header, target));
      }
    });
    expect(await statusOf(askWith(asker, header))).toBe(200);
  });

  it.each([
    ['the bare origin', ''],
    ['the origin with a slash', '/'],
    ['the path without a query', '/v1/x402/tokens/assets/search'],
  ])('but a signature for %s, which covers the URL, opens it', async (_, path) => {
    expect(await statusOf(askFreshly(asker, SEARCH, { uri: `${gateway.url}${path}` }))).toBe(200);
  });
});

/** Signs these fields, shows the refusal, and that the same nonce, rightly signed, is still good. */
async function refusesButKeepsNonce(code: string, changes: Changes): Promise<void> {
  const signer = newSigner();
  const challenge = await challengeOf(asker);
  const bad = encodeHeader(await signedPayload(challenge, changes, signer));
  await costsNothing(gateway, asker, () => refusedWith(code, askWith(asker, bad)));
  const good = encodeHeader(await signedPayload(challenge, {}, signer));
  expect(await statusOf(askWith(asker, good))).toBe(200);
}

const HOSTS: [string, (port: number) => string][] = [
  ['another host', () => 'api.example.com'],
  ['a host that begins with ours', (port) => `127.0.0.1:${port}.evil.test`],
  ['ours as the user of another', (port) => `127.0.0.1:${port}@evil.test`],
  ['another port', (port) => `127.0.0.1:${port === 65_535 ? port - 1 : port + 1}`],
  ['no port', () => '127.0.0.1'],
  ['a trailing dot', (port) => `127.0.0.1.:${port}`],
  ['another name of the same machine', (port) => `localhost:${port}`],
  ['a short form of the address', (port) => `127.1:${port}`],
  ['the address as one number', (port) => `2130706433:${port}`],
  ['a look-alike letter', (port) => `127.0.0.\u0661:${port}`],
  ['a punycode name', (port) => `xn--127-5cd.test:${port}`],
  ['a path behind it', (port) => `127.0.0.1:${port}/`],
  ['space behind it', (port) => `127.0.0.1:${port} `],
];

describe('S4 another domain is refused, and burns no nonce', () => {
  it.each(HOSTS)('%s', async (_, hostAt) => {
    await refusesButKeepsNonce('invalid_siwx_domain_mismatch', { domain: hostAt(gateway.port) });
  });

  it('upper case of a name, or the whole origin', async () => {
    await refusesButKeepsNonce('invalid_siwx_domain_mismatch', { domain: `LOCALHOST:${gateway.port}` });
    await refusesButKeepsNonce('invalid_siwx_domain_mismatch', { domain: gateway.url });
  });
});

describe('S4 another uri is refused, and burns no nonce', () => {
  it.each(HOSTS)('with %s', async (_, hostAt) => {
    await refusesButKeepsNonce('invalid_siwx_uri_mismatch', { uri: `http://${hostAt(gateway.port)}${SEARCH}` });
  });

  it.each<[string, (origin: string) => string]>([
    ['https instead of http', (origin) => origin.replace('http:', 'https:') + SEARCH],
    ['another scheme', (origin) => origin.replace('http:', 'ws:') + SEARCH],
    ['upper-case scheme', (origin) => origin.replace('http:', 'HTTP:') + SEARCH],
    ['a fragment', (origin) => `${origin}${SEARCH}#a`],
    ['a dot segment', (origin) => `${origin}/v1/../v1/x402/tokens/assets/search?q=sol`],
    ['an escaped letter', (origin) => `${origin}${SEARCH.replace('search', '%73earch')}`],
    ['the prefix of the path', (origin) => `${origin}/v1/x402/tokens/assets`],
    ['no origin', () => SEARCH],
    ['no URL', () => 'about:blank'],
  ])('%s', async (_, uriFor) => {
    await refusesButKeepsNonce('invalid_siwx_uri_mismatch', { uri: uriFor(gateway.url) });
  });
});

describe('S9 another chain or kind of key is refused, and burns no nonce', () => {
  it.each<[string, Changes]>([
    ['testnet', { chainId: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z' }],
    ['Ethereum', { chainId: 'eip155:1' }],
    ['a chain that begins with ours', { chainId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:x' }],
    ['a chain reference alone', { chainId: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }],
    ['a chain by name', { chainId: 'solana:mainnet' }],
    ['type eip191', { type: 'eip191' }],
    ['type in upper case', { type: 'ED25519' }],
    ['scheme eip1271', { signatureScheme: 'eip1271' }],
    ['scheme eip191', { signatureScheme: 'eip191' }],
  ])('%s', async (_, changes) => {
    await refusesButKeepsNonce('invalid_siwx_unsupported_chain', changes);
  });

  it('and so is another message version', async () => {
    for (const version of ['2', '1.0', '01']) await refusesButKeepsNonce('invalid_siwx_header', { version });
  });

  it('but each of the two chains that are offered is taken', async () => {
    const { supportedChains } = await challengeOf(asker);
    expect(supportedChains).toHaveLength(2);
    for (const { chainId } of supportedChains) expect(await statusOf(askFreshly(asker, SEARCH, { chainId }))).toBe(200);
  });
});
