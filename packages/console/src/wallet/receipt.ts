/** The claims of a receipt. */
export interface Receipt {
  readonly resourceUrl: string;
  readonly payer: string;
  readonly issuedAt: number;
  readonly transaction?: string;
}

interface DidDocument {
  readonly verificationMethod: readonly { readonly id: string; readonly publicKeyJwk: JsonWebKey }[];
}

const utf8 = new TextEncoder();
const bytesIn = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (unit) => unit.charCodeAt(0));
const jsonIn = (base64url: string): unknown => JSON.parse(new TextDecoder().decode(bytesIn(base64url)));

/** The receipt in a PAYMENT-RESPONSE header, as a compact JWS, if any. */
export function receiptIn(header: string | null): string | undefined {
  try {
    const { extensions } = jsonIn(header ?? '') as { extensions?: Record<string, { info?: { receipt?: unknown } }> };
    const receipt = extensions?.['offer-receipt']?.info?.receipt as { readonly signature?: unknown } | undefined;
    return typeof receipt?.signature === 'string' ? receipt.signature : undefined;
  } catch {
    return undefined;
  }
}

/** The payer named in a PAYMENT-RESPONSE header, if any. */
export function payerIn(header: string): string | undefined {
  try {
    const { payer } = jsonIn(header) as { readonly payer?: unknown };
    return typeof payer === 'string' && payer !== '' ? payer : undefined;
  } catch {
    return undefined;
  }
}

async function keyOf(kid: string): Promise<CryptoKey> {
  const response = await fetch('/.well-known/did.json');
  const { verificationMethod } = (await response.json()) as DidDocument;
  const method = verificationMethod.find(({ id }) => id === kid);
  if (!method || !kid.startsWith(`did:web:${encodeURIComponent(location.host)}#`))
    throw new Error('the key that signed it is not this gateway’s');
  const { kty, crv, x } = method.publicKeyJwk as { kty: string; crv: string; x: string };
  return crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
}

/** The purchase that a receipt must match. */
export interface Paid {
  readonly url: string;
  readonly payer: string;
  /** Empty if credit paid. */
  readonly transaction: string;
}

/** Returns the claims of a receipt; throws unless this gateway signed it for this purchase. */
export async function verifyReceipt(jws: string, { url, payer, transaction }: Paid): Promise<Receipt> {
  const [head = '', body = '', signature = ''] = jws.split('.', 3);
  const { kid, alg } = jsonIn(head) as { readonly kid: string; readonly alg: string };
  if (alg !== 'EdDSA') throw new Error('its signature algorithm is not EdDSA');
  const isSigned = await crypto.subtle.verify(
    'Ed25519',
    await keyOf(kid),
    bytesIn(signature),
    utf8.encode(`${head}.${body}`),
  );
  if (!isSigned) throw new Error('its signature does not match its claims');
  const claims = jsonIn(body) as Receipt;
  const [claimed, expected] = [new URL(claims.resourceUrl), new URL(url)];
  const isForThis = claimed.origin === location.origin && claimed.pathname === expected.pathname;
  if (claims.payer !== payer || !isForThis || (claims.transaction ?? '') !== transaction)
    throw new Error('it is for another payer or another purchase');
  return claims;
}
