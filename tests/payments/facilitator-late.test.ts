import { createServer } from 'node:net';
import { newKeypair } from '@asset-gateway/client/node';
import { afterAll, expect, it } from 'vitest';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, newPath, until } from './fault-buyer.ts';
import { startYesMan, type YesMan } from './forge-facilitator.ts';
import { addressOf } from './forge-market.ts';

let gateway: SellingGateway | undefined;
let facilitator: YesMan | undefined;
afterAll(async () => {
  await gateway?.stop();
  await facilitator?.close();
});

/** A port on which nobody listens now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}

it('P8 a facilitator that is not there at the start: nothing is sold until it is, and then without a restart', async () => {
  const port = await freePort();
  gateway = await startSellingGateway({ FEE_PAYER_KEYPAIR: '', FACILITATOR_URL: `http://127.0.0.1:${port}` });
  const url = gateway.url + newPath();
  const early = await ask(url);
  expect([early.status, early.code]).toEqual([503, 'facilitator_unavailable']);
  facilitator = await startYesMan(addressOf(newKeypair()), port);
  await until(async () => (await ask(url)).status === 402);
  expect(gateway.solana.provider.arrivals).toHaveLength(0);
});
