// An upstream that answers immediately, so that only the gateway is measured. It is also a facilitator that never settles.
import { createServer } from 'node:http';
import { NETWORKS } from '../../packages/protocol/dist/index.js';
import { listenOnLoopback } from './loopback.mjs';

const FEE_PAYER = 'So11111111111111111111111111111111111111112';
const kinds = Object.values(NETWORKS).map((network) => {
  return { x402Version: 2, scheme: 'exact', network, extra: { feePayer: FEE_PAYER } };
});
const SUPPORTED = JSON.stringify({ kinds, extensions: [], signers: { 'solana:*': [FEE_PAYER] } });

const server = createServer((request, response) =>
  request.resume().on('end', () => {
    const body = request.url === '/supported' ? SUPPORTED : '{"ok":true}';
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  }),
);
server.keepAliveTimeout = 60_000;
listenOnLoopback(server);
