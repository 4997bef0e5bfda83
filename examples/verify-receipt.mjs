// Verifies the receipt of a paid response.
import { extractReceiptFromResponse, verifyReceiptSignatureJWS } from '@x402/extensions/offer-receipt';

/** The statement of a paid response's receipt; throws unless the paid origin signed it for this wallet. */
export async function receiptOf(response, wallet) {
  const receipt = extractReceiptFromResponse(response);
  if (receipt?.format !== 'jws') throw new Error('no receipt');
  const said = await verifyReceiptSignatureJWS(receipt);
  const { kid } = JSON.parse(Buffer.from(receipt.signature.split('.')[0], 'base64url'));
  const { origin, host } = new URL(response.url);
  const isTheirs =
    kid.startsWith(`did:web:${encodeURIComponent(host)}#`) && new URL(said.resourceUrl).origin === origin;
  if (!isTheirs || said.payer !== wallet) throw new Error('the receipt is from another gateway or for another wallet');
  return said;
}
