import {
  createClient,
  GatewayError,
  type Signer,
  signerFromBytes,
  signerFromKeyPair,
  signerFromKit,
  signerFromWallet,
  throwAwaySigner,
} from '@asset-gateway/client';
import * as node from '@asset-gateway/client/node';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { describe, expect, it, vi } from 'vitest';
import { NoncePool } from '../../packages/client/src/nonce-pool.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { logged } from './kit.ts';
import { standardWallet } from './standard-wallet.ts';

const gateway = await startTestGateway();

const all = (calls: number, call: () => PromiseLike<unknown>): Promise<unknown[]> =>
  Promise.all(Array.from({ length: calls }, call));

/** Longer than an answer takes on a busy machine. */
const MAX_WAIT_MS = 20_000;

describe('requests in the log of the gateway', () => {
  it('are one more than the calls one after another', async () => {
    const client = createClient({ baseUrl: gateway.url });
    const lines = await logged(gateway, async () => {
      for (let call = 0; call < 30; call++) await client.tokens.search({ q: 'sol' });
    });
    expect(lines).toHaveLength(31);
  });

  it.each([
    ['calls after a first call', { nonceTimeoutMs: MAX_WAIT_MS }, 1, [20]],
    ['first calls', { nonceTimeoutMs: MAX_WAIT_MS }, 0, [21]],
    ['calls that do not wait for a nonce, and later ones', { nonceTimeoutMs: 0 }, 0, [40, 20]],
  ])('of 20 parallel %s', async (_, options, earlier, requests) => {
    const client = createClient({ baseUrl: gateway.url, ...options });
    await all(earlier, () => client.tokens.health());
    for (const count of requests)
      expect(await logged(gateway, () => all(20, () => client.tokens.search({ q: 'sol' })))).toHaveLength(count);
  });
});

it('with SIWX_NONCE=until-expiry a call is one request too', async () => {
  const lasting = await startTestGateway({ SIWX_NONCE: 'until-expiry' });
  const client = createClient({ baseUrl: lasting.url });
  for (let call = 0; call < 3; call++) await client.tokens.search({ q: 'sol' });
  expect(lasting.logLines).toHaveLength(4);
});

describe('a client recovers', () => {
  /** A fetch that loses some answers. */
  const losing =
    (isLost: () => boolean): typeof fetch =>
    async (input, init) => {
      const response = await fetch(input, init);
      if (isLost()) throw new TypeError('fetch failed');
      return response;
    };

  it('from the loss of an answer with a nonce', async () => {
    let isLosing = false;
    const client = createClient({ baseUrl: gateway.url, fetch: losing(() => isLosing) });
    await client.tokens.health();
    isLosing = true;
    await expect(client.tokens.health()).rejects.toMatchObject({ code: 'unreachable' });
    isLosing = false;
    expect(await logged(gateway, () => client.tokens.health())).toHaveLength(2);
    expect(await logged(gateway, () => client.tokens.health())).toHaveLength(1);
  });

  it('from the loss of a nonce that other calls wait for', async () => {
    let toLose = 0;
    // Only the end of the last request can wake them in time.
    const times = { timeoutMs: MAX_WAIT_MS, nonceTimeoutMs: 2 * MAX_WAIT_MS };
    const client = createClient({ baseUrl: gateway.url, fetch: losing(() => toLose-- > 0), ...times });
    await client.tokens.health();
    toLose = 1;
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => client.tokens.health()));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([...Array(4).fill('fulfilled'), 'rejected']);
  });

  it('from nonces that are too old by not sending them', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const [pool, { signal }] = [new NoncePool(0), new AbortController()];
    const nonceAfter = async (milliseconds: number) => {
      pool.add('nonce');
      vi.advanceTimersByTime(milliseconds);
      const nonce = await pool.take(signal);
      pool.end();
      return nonce;
    };
    const nonces = [await nonceAfter(269_999), await nonceAfter(270_000)];
    vi.useRealTimers();
    expect(nonces).toEqual(['nonce', undefined]);
  });

  it('from a restart of the gateway with nonces in the pool', async () => {
    const first = await startTestGateway();
    const client = createClient({ baseUrl: first.url, nonceTimeoutMs: 0 });
    await all(5, () => client.tokens.health());
    await first.stop();
    const second = await startTestGateway({ PORT: String(first.port) });
    for (const requests of [2, 3]) {
      await expect(client.tokens.health()).resolves.toBeDefined();
      expect(second.logLines).toHaveLength(requests);
    }
  });
});

describe('a caller', () => {
  it('aborts a call by a signal', async () => {
    const controller = new AbortController();
    const client = createClient({ baseUrl: gateway.url, signer: node.newSigner() });
    controller.abort();
    const before = gateway.logLines.length;
    const call = client.with({ signal: controller.signal }).tokens.health();
    await expect(call).rejects.toMatchObject({ name: 'GatewayError', code: 'aborted' });
    expect(gateway.logLines).toHaveLength(before);
  });

  it('ends a slow call by timeoutMs, without a later unhandled rejection', async () => {
    const slow: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    const client = createClient({ baseUrl: gateway.url, fetch: slow, timeoutMs: 20 });
    await expect(client.tokens.health()).rejects.toMatchObject({ code: 'timeout' });
    await expect(client.tokens.health().full()).rejects.toMatchObject({ code: 'timeout' });
  });
});

it('a method returns a typed result, and `full()` the whole answer', async () => {
  const call = createClient({ baseUrl: gateway.url }).tokens.search({ q: 'gold' });
  const { results } = await call;
  expect(results.length).toBeGreaterThan(0);
  const { result, text, requestId, price, transaction, response } = await call.full();
  expect(result.results).toBe(results);
  expect(JSON.parse(text).result).toEqual(result);
  expect(requestId).toBe(response.headers.get('x-request-id'));
  expect([price, transaction, response.status]).toEqual([undefined, undefined, 200]);
});

const keypair = node.newKeypair();
const { address } = node.signerFromBytes(keypair);

describe('a signer', () => {
  it.each<[string, () => Signer | Promise<Signer>]>([
    ['the 64 bytes of a key pair', () => signerFromBytes(keypair)],
    ['the 32 bytes of a seed', () => signerFromBytes(keypair.subarray(0, 32))],
    ['the same through node:crypto', () => node.signerFromBytes(keypair)],
    ['a key pair of WebCrypto', async () => signerFromKeyPair((await createKeyPairSignerFromBytes(keypair)).keyPair)],
    ['a signer of @solana/kit', async () => signerFromKit(await createKeyPairSignerFromBytes(keypair))],
    ['a wallet of the Wallet Standard', async () => signerFromWallet(await standardWallet(keypair))],
  ])('from %s is the same wallet, and can sign in', async (_, open) => {
    const signer = await open();
    expect(signer.address).toBe(address);
    await createClient({ baseUrl: gateway.url, signer }).tokens.health();
    expect(JSON.parse(gateway.logLines.at(-1) ?? '')).toMatchObject({ status: 200, wallet: address });
  });

  it('from throwAwaySigner is a new wallet each time', async () => {
    const [one, other] = [await throwAwaySigner(), await throwAwaySigner()];
    expect(one.address).not.toBe(other.address);
    await createClient({ baseUrl: gateway.url, signer: one }).tokens.health();
  });

  it('is made once by a client without one', async () => {
    const client = createClient({ baseUrl: gateway.url });
    const before = gateway.logLines.length;
    await Promise.all([client.tokens.health(), client.tokens.health()]);
    const lines = gateway.logLines.slice(before).map((line) => JSON.parse(line) as { wallet?: string });
    const wallets = lines.flatMap(({ wallet }) => wallet ?? []);
    expect([wallets.length, new Set(wallets).size]).toEqual([2, 1]);
  });

  it('signs a later call without the statement of an earlier one, which may name its amount', async () => {
    const { address, signMessage } = node.newSigner();
    const texts: string[] = [];
    const signer: Signer = {
      address,
      signMessage(message) {
        texts.push(new TextDecoder().decode(message));
        return signMessage(message);
      },
    };
    const client = createClient({ baseUrl: gateway.url, signer });
    for (let call = 0; call < 2; call++) await client.tokens.health();
    expect(texts.map((text) => text.includes('moves no money'))).toEqual([true, false]);
  });

  it('is not made from a key of another length', async () => {
    await expect(signerFromBytes(new Uint8Array(33))).rejects.toThrow('a key has 32 or 64 bytes');
  });
});

describe('a wallet that misbehaves', () => {
  const withFeature = async (change: object) => {
    const wallet = await standardWallet(keypair);
    return { ...wallet, features: { ...wallet.features, ...change } };
  };

  const signing = (signMessage: (given: { message: Uint8Array }) => Promise<unknown>) => ({
    'solana:signMessage': { signMessage },
  });
  const short = new Uint8Array(63);

  it.each<[string, object]>([
    ['signs nothing', signing(async () => [])],
    ['is declined by its user', signing(() => Promise.reject(new Error('no')))],
    ['gives too short a signature', signing(async ({ message }) => [{ signedMessage: message, signature: short }])],
    ['signs another text', signing(async () => [{ signedMessage: Uint8Array.of(255), signature: new Uint8Array(64) }])],
    ['cannot sign messages', { 'solana:signMessage': undefined }],
    ['shows no Solana account', { 'standard:connect': { connect: async () => ({ accounts: [] }) } }],
  ])('%s: the call fails after the challenge', async (_, change) => {
    const signer = withFeature(change).then((wallet) => signerFromWallet(wallet));
    const call = () => createClient({ baseUrl: gateway.url, signer }).tokens.health();
    const lines = await logged(gateway, () =>
      expect(call()).rejects.toSatisfy((error) => error instanceof GatewayError && error.code === 'not_signed'),
    );
    expect(lines).toHaveLength(1);
  });
});
