import { createHash } from 'node:crypto';
import { below, listAt, textAt } from '@asset-gateway/protocol';
import type { Exploration } from '../explore.ts';
import { type Fault, faultsAt, type Problem, unless } from '../finding.ts';

/** Returns the did:web of an origin. The colon before its port is percent-encoded. */
const didOf = (origin: string): string => `did:web:${encodeURIComponent(new URL(origin).host)}`;

/** Returns the RFC 7638 thumbprint of an Ed25519 key. Its members have the order of the RFC. */
function thumbprintOf(key: unknown): string {
  const [crv, kty, x] = ['crv', 'kty', 'x'].map((name) => textAt(key, name));
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}

const KEY_BYTES = 32;

const isPublicKey = (key: unknown): boolean =>
  textAt(key, 'crv') === 'Ed25519' &&
  textAt(key, 'kty') === 'OKP' &&
  Buffer.from(textAt(key, 'x'), 'base64url').length === KEY_BYTES &&
  below(key, 'd') === undefined;

function keyProblems(json: unknown, did: string): (Problem | undefined)[] {
  const asserting = new Set(listAt(json, 'assertionMethod').map((each) => textAt(each, 'id') || each));
  const methods = listAt(json, 'verificationMethod').map((method) => ({
    id: textAt(method, 'id'),
    key: below(method, 'publicKeyJwk'),
    controller: textAt(method, 'controller'),
  }));
  const areOurs = methods.every(({ key, controller }) => isPublicKey(key) && controller === did);
  const misnamed = methods.find(({ id, key }) => id !== `${did}#${thumbprintOf(key)}`);
  const mute = methods.find(({ id }) => !asserting.has(id));
  return [
    unless(methods.length > 0 && areOurs, {
      problem: 'it does not list public Ed25519 keys with this DID as their controller',
      fix: 'Publish each key of RECEIPT_KEYPAIR as a JsonWebKey2020 without its private part',
    }),
    unless(!areOurs || misnamed === undefined, {
      problem: `${misnamed?.id} is not the id of its key, so no receipt refers to it`,
      fix: 'Use the DID and the RFC 7638 thumbprint as the id, like the kid of receipts',
    }),
    unless(mute === undefined, {
      problem: `${mute?.id} is not an assertionMethod, but receipts are assertions`,
      fix: 'List each key that signs receipts under assertionMethod',
    }),
  ];
}

/** Checks that clients can verify receipts: the key is published under the receipts' `kid`. */
export function receipts({ didDocument, origin }: Exploration): Fault[] {
  if (!didDocument || didDocument.plain.status === 0) return [];
  const { plain, json } = didDocument;
  const did = didOf(origin);
  if (plain.status !== 200 || json === undefined) {
    const problem = `OpenAPI lists it, but it answers ${plain.status}${plain.status === 200 ? ' without JSON' : ''}, so receipts cannot be verified`;
    return faultsAt(plain, { problem, fix: 'Serve the DID document to all clients' });
  }
  if (textAt(json, 'id') !== did) {
    const problem = `its id is ${textAt(json, 'id') || 'missing'}, but receipts of this origin name ${did}`;
    return faultsAt(plain, { problem, fix: 'Set GATEWAY_BASE_URL to the origin that clients use' });
  }
  return faultsAt(plain, keyProblems(json, did));
}
