import type { ReceiptKey } from './key.ts';

const CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'];

/** The did:web of whoever serves this URL; the colon before a port is percent-encoded, as the method wants it. */
export const didOf = (url: string): string => `did:web:${encodeURIComponent(new URL(url).host)}`;

/** A key's name in that DID's document: the `kid` of what is signed with it. */
export const keyIdOf = (did: string, { thumbprint }: Pick<ReceiptKey, 'thumbprint'>): string => `${did}#${thumbprint}`;

/** The DID document (W3C DID Core) of an origin: every key whose receipts are to be believed. */
export function didDocument(origin: string, keys: readonly ReceiptKey[]) {
  const did = didOf(origin);
  const verificationMethod = keys.map((key) => ({
    id: keyIdOf(did, key),
    type: 'JsonWebKey2020',
    controller: did,
    publicKeyJwk: key.publicJwk,
  }));
  return { '@context': CONTEXTS, id: did, verificationMethod, assertionMethod: verificationMethod.map(({ id }) => id) };
}
