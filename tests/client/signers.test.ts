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
import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../kit/test-gateway.ts';
import { standardWallet } from './standard-wallet.ts';

const keypair = node.newKeypair();
const { address } = node.signerFromBytes(keypair);

const gateway = await startTestGateway();

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
    await Promise.all([client.tokens.health(), client.tokens.health()]);
    const wallets = gateway.logLines.slice(-2).map((line) => (JSON.parse(line) as { wallet: string }).wallet);
    expect(new Set(wallets).size).toBe(1);
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
    const before = gateway.logLines.length;
    const signer = withFeature(change).then((wallet) => signerFromWallet(wallet));
    const error = await createClient({ baseUrl: gateway.url, signer })
      .tokens.health()
      .catch((each: unknown) => each);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'not_signed' });
    expect(gateway.logLines.length - before).toBe(1);
  });
});
