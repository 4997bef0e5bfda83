import { bytesIn, jsonIn } from './payment-headers.ts';

/** The claims of a receipt. */
export interface Receipt {
  readonly resourceUrl: string;
  readonly payer: string;
  /** Unix seconds. */
  readonly issuedAt: number;
  readonly transaction?: string;
}

/** The keys in the gateway's DID document. */
export type ReceiptKeys = readonly { readonly id: string; readonly publicKeyJwk: JsonWebKey }[];

/** The purchase that a receipt must match. */
export interface Paid {
  readonly url: string;
  readonly payer: string;
  /** Empty if credit paid. */
  readonly transaction: string;
}

/** Loads the keys that this gateway signs receipts with. */
export async function loadReceiptKeys(): Promise<ReceiptKeys> {
  const response = await fetch('/.well-known/did.json');
  if (!response.ok) throw new Error('This gateway publishes no key for receipts, so none can be verified here.');
  const { verificationMethod } = (await response.json()) as { readonly verificationMethod: ReceiptKeys };
  return verificationMethod;
}

function keyOf(kid: string, keys: ReceiptKeys): Promise<CryptoKey> {
  const found = keys.find(({ id }) => id === kid);
  if (!found || !kid.startsWith(`did:web:${encodeURIComponent(location.host)}#`))
    throw new Error('the key that signed it is not this gateway’s');
  const { kty, crv, x } = found.publicKeyJwk as { kty: string; crv: string; x: string };
  return crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
}

function partsOf(jws: string) {
  const [head = '', body = '', signature = ''] = jws.trim().split('.', 3);
  try {
    const { kid, alg } = jsonIn(head) as { readonly kid: string; readonly alg: string };
    const signed = new TextEncoder().encode(`${head}.${body}`);
    return { kid, alg, signed, signature: bytesIn(signature), claims: jsonIn(body) as Receipt };
  } catch {
    throw new Error('it is not a compact JWS');
  }
}

/** Returns the claims of a receipt; throws unless this gateway signed it. */
export async function readReceipt(jws: string, keys: ReceiptKeys): Promise<Receipt> {
  const { kid, alg, signed, signature, claims } = partsOf(jws);
  if (alg !== 'EdDSA') throw new Error('its signature algorithm is not EdDSA');
  if (!(await crypto.subtle.verify('Ed25519', await keyOf(kid, keys), signature, signed)))
    throw new Error('its signature does not match its claims');
  if (new URL(claims.resourceUrl).origin !== location.origin) throw new Error('it is for another gateway');
  return claims;
}

/** Throws unless this gateway signed the receipt for this purchase. */
export async function verifyReceipt(jws: string, keys: ReceiptKeys, { url, payer, transaction }: Paid): Promise<void> {
  const claims = await readReceipt(jws, keys);
  const isForThis = new URL(claims.resourceUrl).pathname === new URL(url).pathname;
  if (claims.payer !== payer || !isForThis || (claims.transaction ?? '') !== transaction)
    throw new Error('it is for another payer or another purchase');
}
