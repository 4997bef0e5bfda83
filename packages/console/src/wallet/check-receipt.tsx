import { useState } from 'preact/hooks';
import { TaskStatus, useTask } from '../parts/button.tsx';
import { TermList } from '../parts/table.tsx';
import { bytesIn, plain, textIn } from '../parts/text.ts';
import type { Purchase } from './browser-wallet.ts';

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

/** The facts that a receipt must match. */
type Paid = Pick<Purchase, 'url' | 'payer' | 'transaction'>;

/** Loads the keys with which this gateway signs receipts. */
export async function loadReceiptKeys(): Promise<ReceiptKeys> {
  const response = await fetch('/.well-known/did.json');
  if (!response.ok) throw new Error('This gateway publishes no key for receipts, so none can be verified here.');
  const { verificationMethod } = (await response.json()) as { readonly verificationMethod: ReceiptKeys };
  return verificationMethod;
}

function importPublicKey(kid: string, keys: ReceiptKeys): Promise<CryptoKey> {
  const found = keys.find(({ id }) => id === kid);
  if (!found || !kid.startsWith(`did:web:${encodeURIComponent(location.host)}#`))
    throw new Error('the key that signed it is not this gateway’s');
  const { kty, crv, x } = found.publicKeyJwk as { kty: string; crv: string; x: string };
  return crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
}

function splitJws(jws: string) {
  const [head = '', body = '', signature = ''] = jws.trim().split('.', 3);
  try {
    const { kid, alg } = JSON.parse(textIn(head)) as { readonly kid: string; readonly alg: string };
    const signed = new TextEncoder().encode(`${head}.${body}`);
    return { kid, alg, signed, signature: bytesIn(signature), claims: JSON.parse(textIn(body)) as Receipt };
  } catch {
    throw new Error('it is not a compact JWS');
  }
}

/** A receipt's claims. Throws unless this gateway signed it. */
async function readReceipt(jws: string, keys: ReceiptKeys): Promise<Receipt> {
  const { kid, alg, signed, signature, claims } = splitJws(jws);
  if (alg !== 'EdDSA') throw new Error('its signature algorithm is not EdDSA');
  if (!(await crypto.subtle.verify('Ed25519', await importPublicKey(kid, keys), signature, signed)))
    throw new Error('its signature does not match its claims');
  if (new URL(claims.resourceUrl).origin !== location.origin) throw new Error('it is for another gateway');
  return claims;
}

/** Why this gateway did not sign a receipt for this purchase; empty if it did. */
export async function receiptFault(jws: string, keys: ReceiptKeys, { url, payer, transaction }: Paid): Promise<string> {
  try {
    const claims = await readReceipt(jws, keys);
    const isForThis = new URL(claims.resourceUrl).pathname === new URL(url).pathname;
    const isValid = claims.payer === payer && isForThis && (claims.transaction ?? '') === transaction;
    return isValid ? '' : 'it is for another payer or another purchase';
  } catch (error) {
    return (error as Error).message;
  }
}

const MAX_TEXT = 500;

const Claims = ({ resourceUrl, payer, issuedAt, transaction = 'None: paid from credit' }: Receipt) => (
  <TermList
    class="headers"
    of={[
      ['Paid for', plain(resourceUrl, MAX_TEXT)],
      ['Payer', plain(payer, MAX_TEXT)],
      ['Time', new Date(issuedAt * 1000).toLocaleString('en-GB')],
      ['Transaction', plain(transaction, MAX_TEXT)],
    ]}
  />
);

/** Verifies a pasted receipt. */
export function CheckReceipt() {
  const task = useTask();
  const [text, setText] = useState('');
  const verify = async () => {
    const keys = await loadReceiptKeys();
    const claims = await readReceipt(text, keys).catch((error: Error) => {
      throw new Error(`The receipt is invalid: ${error.message}.`);
    });
    return { said: 'The receipt is valid: this gateway signed it.', shown: <Claims {...claims} /> };
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    task.run(verify);
  };
  return (
    <section aria-labelledby="receipts">
      <h2 id="receipts">Receipts</h2>
      <p class="small muted">
        A receipt is the gateway’s signed proof of a payment. Those in the table above are verified automatically.
      </p>
      <form onSubmit={submit}>
        <label for="receipt">Receipt to verify</label>
        <textarea
          id="receipt"
          rows={3}
          spellcheck={false}
          placeholder="Paste a receipt (three parts with dots between them)"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <p class="row actions">
          <button type="submit" disabled={task.isBusy || text.trim() === ''}>
            Verify receipt
          </button>
        </p>
      </form>
      <TaskStatus task={task} doing="Loading the gateway’s key." />
    </section>
  );
}
