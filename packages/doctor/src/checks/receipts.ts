import { createHash } from 'node:crypto';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import { at, listAt, textAt } from '../json.ts';
import type { World } from '../world.ts';

/** The did:web of an origin: the colon before its port is percent-encoded. */
const didOf = (origin: string): string => `did:web:${encodeURIComponent(new URL(origin).host)}`;

/** The thumbprint of an Ed25519 key by RFC 7638, whose members stand in this order. */
function thumbprintOf(key: unknown): string {
  const [crv, kty, x] = ['crv', 'kty', 'x'].map((name) => textAt(key, name));
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}

const KEY_BYTES = 32;

const isPublicKey = (key: unknown): boolean =>
  textAt(key, 'crv') === 'Ed25519' &&
  textAt(key, 'kty') === 'OKP' &&
  Buffer.from(textAt(key, 'x'), 'base64url').length === KEY_BYTES &&
  at(key, 'd') === undefined;

function keyFaults(json: unknown, did: string, where: string): Fault[] {
  const methods = listAt(json, 'verificationMethod');
  const bad = methods.find(
    (method) => !isPublicKey(at(method, 'publicKeyJwk')) || textAt(method, 'controller') !== did,
  );
  const misnamed = methods.find(
    (method) => textAt(method, 'id') !== `${did}#${thumbprintOf(at(method, 'publicKeyJwk'))}`,
  );
  const asserting = new Set(listAt(json, 'assertionMethod').map((each) => textAt(each, 'id') || each));
  const mute = methods.find((method) => !asserting.has(textAt(method, 'id')));
  return [
    ...unless(methods.length > 0 && bad === undefined, {
      where,
      problem: 'it has no public Ed25519 keys, each with this DID as its controller',
      fix: 'Publish each key of RECEIPT_KEYPAIR as a JsonWebKey2020, without its private part',
    }),
    ...unless(bad !== undefined || misnamed === undefined, {
      where,
      problem: `${textAt(misnamed, 'id')} is not the name of the key that stands there, so that no receipt leads to it`,
      fix: 'Name each key by its DID and its RFC 7638 thumbprint, as the kid of receipts does',
    }),
    ...unless(mute === undefined, {
      where,
      problem: `${textAt(mute, 'id')} is not an assertionMethod, and receipts are assertions`,
      fix: 'List each key that receipts are signed with under assertionMethod',
    }),
  ];
}

function receiptFaults({ didDocument, origin }: World): Fault[] {
  if (!didDocument || didDocument.plain.status === 0) return [];
  const { plain, json } = didDocument;
  const [where, did] = [whereOf(plain), didOf(origin)];
  if (plain.status !== 200 || json === undefined) {
    const problem = `OpenAPI lists it and it answers ${plain.status}${plain.status === 200 ? ' without JSON' : ''}, so that nobody can verify a receipt`;
    return [{ where, problem, fix: 'Serve the DID document to everybody' }];
  }
  if (textAt(json, 'id') !== did) {
    const problem = `it is the document of ${textAt(json, 'id') || 'nobody'}, and receipts of this origin name ${did}`;
    return [{ where, problem, fix: 'Set GATEWAY_BASE_URL to the origin that clients dial' }];
  }
  return keyFaults(json, did, where);
}

/** Whether a receipt can be verified: its key is published where its `kid` leads, by the name that it has there. */
export const receiptsCheck: Check = { name: 'receipts', run: receiptFaults };
