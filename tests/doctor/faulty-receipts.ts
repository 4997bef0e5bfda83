import { inDocument, refusal, type SeededFault } from './seeds.ts';

const DID_DOCUMENT = '/.well-known/did.json';

/** The changed part of a DID document. */
interface DidDocument {
  id: string;
  verificationMethod: { id: string; controller: string; publicKeyJwk: Record<string, string> }[];
  assertionMethod: string[];
}

/** Changes the first key. */
const inKey = (change: (method: DidDocument['verificationMethod'][number]) => void) =>
  inDocument(DID_DOCUMENT, ({ verificationMethod: [method] }: DidDocument) => {
    if (method) change(method);
  });

const where = /^GET .*\/\.well-known\/did\.json$/;

/** Faults of the keys of receipts. */
export const faultyReceipts: readonly SeededFault[] = [
  {
    name: 'a missing DID document',
    alter: ({ target }) => (target === DID_DOCUMENT ? refusal(404) : undefined),
    check: 'receipts',
    where,
    problem: /OpenAPI lists it, but it answers 404/,
    fix: /Serve the DID document to all clients/,
  },
  {
    name: 'a DID document of another origin',
    alter: inDocument(DID_DOCUMENT, (json: DidDocument) => Object.assign(json, { id: 'did:web:elsewhere.example' })),
    check: 'receipts',
    where,
    problem: /its id is did:web:elsewhere\.example, but receipts of this origin name did:web:127\.0\.0\.1%3A/,
    fix: /GATEWAY_BASE_URL/,
  },
  {
    name: 'a key under the id of another key',
    alter: inKey(({ publicKeyJwk }) => Object.assign(publicKeyJwk, { x: Buffer.alloc(32, 7).toString('base64url') })),
    check: 'receipts',
    where,
    problem: /is not the id of its key/,
    fix: /RFC 7638 thumbprint/,
  },
  {
    name: 'a key with its private part',
    alter: inKey(({ publicKeyJwk }) => Object.assign(publicKeyJwk, { d: publicKeyJwk.x })),
    check: 'receipts',
    where,
    problem: /does not list public Ed25519 keys/,
    fix: /without its private part/,
  },
  {
    name: 'a DID document without keys',
    alter: inDocument(DID_DOCUMENT, (json: DidDocument) =>
      Object.assign(json, { verificationMethod: [], assertionMethod: [] }),
    ),
    check: 'receipts',
    where,
    problem: /does not list public Ed25519 keys/,
    fix: /Publish each key/,
  },
  {
    name: 'a key without assertionMethod',
    alter: inDocument(DID_DOCUMENT, (json: DidDocument) => Object.assign(json, { assertionMethod: [] })),
    check: 'receipts',
    where,
    problem: /is not an assertionMethod/,
    fix: /under assertionMethod/,
  },
];
