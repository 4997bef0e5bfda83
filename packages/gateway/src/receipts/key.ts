import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { pkcs8OfSeed } from '@asset-gateway/protocol';

/** A public Ed25519 key as RFC 8037 writes it; its members stand in the order of RFC 7638. */
export interface PublicJwk {
  readonly crv: 'Ed25519';
  readonly kty: 'OKP';
  readonly x: string;
}

/** A key that receipts are signed with. */
export interface ReceiptKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
  /** Its SHA-256 thumbprint (RFC 7638): the same key has the same name wherever it is published. */
  readonly thumbprint: string;
}

/** The key of an Ed25519 seed of 32 bytes. */
export function receiptKeyOf(seed: Uint8Array): ReceiptKey {
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8OfSeed(seed)), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const publicJwk = { crv: 'Ed25519', kty: 'OKP', x } as const;
  const thumbprint = createHash('sha256').update(JSON.stringify(publicJwk)).digest('base64url');
  return { privateKey, publicJwk, thumbprint };
}
