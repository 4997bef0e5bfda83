import { challengeIn, signIn } from '../../../packages/client/dist/index.js';
import { newKeypair, newSigner, signerFromBytes } from '../../../packages/client/dist/node.js';
import { paymentFor } from '../../../packages/client/dist/pay.js';

const SIGNED_FROM = 1 + 2 * 64;
const PAYER_SIGNATURE = 1 + 64;

const jsonOf = (header) => JSON.parse(Buffer.from(header, 'base64').toString());
const headerOf = (json) => Buffer.from(JSON.stringify(json)).toString('base64');

/** Makes fresh sign-ins, each valid for any one path. */
export async function openCaller(url, ask) {
  const signer = newSigner();
  return async () => {
    const { body } = await ask({ method: 'GET', target: '/v1/x402/tokens/health' });
    const challenge = challengeIn(JSON.parse(body));
    const bound = { ...challenge, info: { ...challenge.info, uri: url } };
    return [`SIGN-IN-WITH-X: ${await signIn(bound, signer, new URL(url))}`];
  };
}

/** Makes payments for any request of one row. x402's client makes the first; the others replace its memo and are signed anew. */
export async function openBuyer({ row, example, ask, chain, funds = 0n }) {
  const keypair = newKeypair();
  const signer = signerFromBytes(keypair);
  if (funds > 0n) await chain.fundUsdc(signer.address, funds);
  const requirementFor = async (request) => JSON.parse((await ask(request)).body);
  const required = await requirementFor(example);
  if (!required.accepts) throw new Error(`${row.id} requires no payment`);
  const { 'PAYMENT-SIGNATURE': header } = await paymentFor(required, { wallet: keypair, rpcUrl: chain.url });
  const model = jsonOf(header);
  const wire = Buffer.from(model.payload.transaction, 'base64');
  const memoAt = wire.indexOf(model.accepted.extra.memo, 0, 'latin1');
  return async (request) => {
    const { accepts } = await requirementFor(request);
    if (!accepts) return undefined;
    wire.write(accepts[0].extra.memo, memoAt, 'latin1');
    wire.set(await signer.signMessage(wire.subarray(SIGNED_FROM)), PAYER_SIGNATURE);
    const payload = { ...model.payload, transaction: wire.toString('base64') };
    return [`PAYMENT-SIGNATURE: ${headerOf({ ...model, accepted: accepts[0], payload })}`];
  };
}
