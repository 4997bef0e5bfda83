// The official packages: the server that their middlewares for frameworks wrap, here on node:http itself, with their facilitator in this process.
import { createServer } from 'node:http';
import { createKeyPairSignerFromBytes, createSolanaRpc, getBase58Encoder } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import { x402HTTPResourceServer, x402ResourceServer } from '@x402/core/server';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme as Settling } from '@x402/svm/exact/facilitator';
import { ExactSvmScheme as Selling } from '@x402/svm/exact/server';
import { USDC } from '../../packages/protocol/dist/index.js';
import { listenOnLoopback } from './loopback.mjs';

const { FEE_PAYER_KEYPAIR, HELIUS_WALLET_API_BASE_URL, NETWORK, PAY_TO_WALLET, PRICE, SOLANA_MAINNET_RPC_URL } =
  process.env;

const keys = await createKeyPairSignerFromBytes(getBase58Encoder().encode(FEE_PAYER_KEYPAIR));
const signer = toFacilitatorSvmSigner(keys, { [NETWORK]: createSolanaRpc(SOLANA_MAINNET_RPC_URL) });
const facilitator = new x402Facilitator().register(NETWORK, new Settling(signer));
const client = {
  verify: (payment, requirement) => facilitator.verify(payment, requirement),
  settle: (payment, requirement) => facilitator.settle(payment, requirement),
  getSupported: async () => facilitator.getSupported(),
};
const resources = new x402ResourceServer(client).register(NETWORK, new Selling());
const price = { amount: PRICE, asset: USDC.mainnet };
const routes = { 'GET /v1/*': { accepts: { scheme: 'exact', network: NETWORK, payTo: PAY_TO_WALLET, price } } };
const selling = new x402HTTPResourceServer(resources, routes);
await selling.initialize();

function contextOf({ headers, method, url }) {
  const path = url.split('?')[0];
  const getHeader = (name) => headers[name.toLowerCase()];
  const adapter = {
    getHeader,
    getMethod: () => method,
    getPath: () => path,
    getUrl: () => `http://${headers.host}${url}`,
    getAcceptHeader: () => headers.accept ?? '',
    getUserAgent: () => headers['user-agent'] ?? '',
  };
  return { adapter, path, method, paymentHeader: getHeader('payment-signature') };
}

const server = createServer(async (request, response) => {
  const context = contextOf(request);
  const admitted = await selling.processHTTPRequest(context);
  const refuse = (answer) =>
    response
      .writeHead(answer.status, { ...answer.headers, 'Content-Type': 'application/json' })
      .end(JSON.stringify(answer.body ?? {}));
  if (admitted.type !== 'payment-verified') return refuse(admitted.response);
  const { paymentPayload, paymentRequirements, declaredExtensions } = admitted;
  const upstream = await fetch(HELIUS_WALLET_API_BASE_URL + request.url);
  const answer = JSON.stringify({
    ok: true,
    provider: 'helius',
    surface: 'wallet',
    method: 'balances',
    result: await upstream.json(),
  });
  const transport = { request: context, responseBody: Buffer.from(answer), responseHeaders: {} };
  const settled = await selling.processSettlement(paymentPayload, paymentRequirements, declaredExtensions, transport);
  if (!settled.success) return refuse(settled.response);
  response.writeHead(200, { ...settled.headers, 'Content-Type': 'application/json' }).end(answer);
});
server.keepAliveTimeout = 60_000;
listenOnLoopback(server);
