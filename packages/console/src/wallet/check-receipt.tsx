import { useState } from 'preact/hooks';
import { plain } from '../parts/text.ts';
import { bytesIn, jsonIn } from './payment-headers.ts';
import { TaskStatus, useTask } from './task.tsx';

/** The claims of a receipt. */
interface Receipt {
  readonly resourceUrl: string;
  readonly payer: string;
  /** Unix seconds. */
  readonly issuedAt: number;
  readonly transaction?: string;
}

/** The keys in the gateway's DID document. */
type ReceiptKeys = readonly { readonly id: string; readonly publicKeyJwk: JsonWebKey }[];

/** The purchase that a receipt must match. */
interface Paid {
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
async function readReceipt(jws: string, keys: ReceiptKeys): Promise<Receipt> {
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

const MAX_TEXT = 500;

const Claims = ({ claims }: { readonly claims: Receipt }) => (
  <dl class="headers">
    {[
      ['Paid for', claims.resourceUrl],
      ['Payer', claims.payer],
      ['Time', new Date(claims.issuedAt * 1000).toLocaleString('en-GB')],
      ['Transaction', claims.transaction ?? 'None: paid from credit'],
    ].map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{plain(value, MAX_TEXT)}</dd>
      </div>
    ))}
  </dl>
);

interface ReceiptFormProps {
  readonly isBusy: boolean;
  readonly submit: (receipt: string) => void;
}

function ReceiptForm({ isBusy, submit }: ReceiptFormProps) {
  const [text, setText] = useState('');
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    submit(text);
  };
  return (
    <form onSubmit={onSubmit}>
      <label for="receipt">Receipt to verify</label>
      <textarea
        id="receipt"
        rows={3}
        spellcheck={false}
        placeholder="Paste a receipt (three parts with dots between them)"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p class="actions">
        <button type="submit" disabled={isBusy || text.trim() === ''}>
          Verify receipt
        </button>
      </p>
    </form>
  );
}

/** Verifies a pasted receipt. */
export function CheckReceipt() {
  const task = useTask();
  const [claims, setClaims] = useState<Receipt>();
  const verify = async (receipt: string): Promise<string> => {
    setClaims(undefined);
    const keys = await loadReceiptKeys();
    const read = await readReceipt(receipt, keys).catch((error: Error) => {
      throw new Error(`The receipt is invalid: ${error.message}.`);
    });
    setClaims(read);
    return 'The receipt is valid: this gateway signed it.';
  };
  return (
    <section aria-labelledby="receipts">
      <h2 id="receipts">Receipts</h2>
      <p class="small muted">
        A receipt is the gateway’s signed proof of a payment. Those in the table above are verified automatically.
      </p>
      <ReceiptForm isBusy={task.isBusy} submit={(receipt) => task.run(() => verify(receipt))} />
      <TaskStatus task={task} doing="Loading the gateway’s key." />
      {claims && <Claims claims={claims} />}
    </section>
  );
}
