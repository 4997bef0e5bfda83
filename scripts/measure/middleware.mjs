// The official packages: the middleware for Hono with the sign-in extension and single-use nonces, in front of the same upstream.
import { serve } from '@hono/node-server';
import {
  createSIWxResourceServerExtension,
  declareSIWxExtension,
  InMemorySIWxStorage,
} from '@x402/extensions/sign-in-with-x';
import { paymentMiddleware, x402ResourceServer } from '@x402/hono';
import { Hono } from 'hono';

const CHAIN = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const PATH = '/v1/x402/tokens/health';

const used = new Set();
const storage = new InMemorySIWxStorage();
storage.hasUsedNonce = (nonce) => used.has(nonce);
storage.recordNonce = (nonce) => void used.add(nonce);

const app = new Hono();
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  const origin = `http://127.0.0.1:${port}`;
  const resources = new x402ResourceServer().registerExtension(createSIWxResourceServerExtension({ storage, origin }));
  const extensions = declareSIWxExtension({ network: CHAIN, expirationSeconds: 300 });
  // Nothing is sold, so no facilitator is needed at the start.
  app.use(paymentMiddleware({ [`GET ${PATH}`]: { accepts: [], extensions } }, resources, undefined, undefined, false));
  app.get(PATH, async (context) => {
    const response = await fetch(`${process.env.TOKENS_API_BASE_URL}/v1/health`);
    return context.json({
      ok: true,
      provider: 'tokens',
      surface: 'tokens',
      method: 'health',
      result: await response.json(),
    });
  });
  process.stdout.write(`listening on ${origin}\n`);
});
server.keepAliveTimeout = 60_000;
