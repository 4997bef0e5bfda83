import { type Cluster, NETWORKS } from '@asset-gateway/protocol';

/** Decodes base64 or base64url. */
export const bytesIn = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (unit) => unit.charCodeAt(0));

export const jsonIn = (base64: string): unknown => JSON.parse(new TextDecoder().decode(bytesIn(base64)));

/** A member of a header's JSON; undefined if the header cannot be read. */
function memberIn<T>(header: string, read: (value: T) => unknown): unknown {
  try {
    return read(jsonIn(header) as T);
  } catch {
    return undefined;
  }
}

interface Settled {
  readonly payer?: unknown;
  readonly network?: unknown;
  readonly extensions?: Readonly<
    Record<string, { readonly info: { readonly receipt: { readonly signature: unknown } } }>
  >;
}

const textIn = (header: string, read: (settled: Settled) => unknown): string | undefined => {
  const value = memberIn(header, read);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The receipt in a PAYMENT-RESPONSE header, as a compact JWS, if any. */
export const receiptIn = (header: string): string | undefined =>
  textIn(header, ({ extensions }) => extensions?.['offer-receipt']?.info.receipt.signature);

/** The payer named in a PAYMENT-RESPONSE header, if any. */
export const payerIn = (header: string): string | undefined => textIn(header, ({ payer }) => payer);

/** The cluster named in a PAYMENT-RESPONSE header, if any. */
export function clusterIn(header: string): Cluster | undefined {
  const network = textIn(header, (settled) => settled.network);
  return (['mainnet', 'devnet'] as const).find((cluster) => NETWORKS[cluster] === network);
}

/** The amount of the payment in a request's headers, in millionths of a dollar; undefined if they carry none. */
export function microsIn(headers: HeadersInit | undefined): number | undefined {
  const payment = new Headers(headers).get('payment-signature');
  const amount = memberIn<{ readonly accepted: { readonly amount: unknown } }>(
    payment ?? '',
    ({ accepted }) => accepted.amount,
  );
  const micros = Number(amount);
  return typeof amount === 'string' && Number.isSafeInteger(micros) ? micros : undefined;
}
