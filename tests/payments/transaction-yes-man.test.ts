import { createServer } from 'node:net';
import { newKeypair } from '@asset-gateway/client/node';
import { afterAll, describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, newPath, until } from './fault-buyer.ts';
import { COMPUTE_FORGERIES } from './forge-compute.ts';
import { startYesMan } from './forge-facilitator.ts';
import { FEE_PAYER_FORGERIES, SIGNER_FORGERIES } from './forge-fee-payer.ts';
import { addressOf, carrying, openForge } from './forge-market.ts';
import { MEMO_FORGERIES } from './forge-memo.ts';
import { SIGNATURE_FORGERIES } from './forge-signature.ts';
import { TRANSFER_FORGERIES } from './forge-transfer.ts';
import { draftOf } from './forge-wire.ts';

const feePayer = addressOf(newKeypair());

const yesMan = await startYesMan(feePayer);
const forge = await openForge({ FACILITATOR_URL: yesMan.url, FEE_PAYER_KEYPAIR: '' }, feePayer);
afterAll(async () => {
  await forge.stop();
  await yesMan.close();
});

const families = {
  'its fee payer': FEE_PAYER_FORGERIES,
  'its signers': SIGNER_FORGERIES,
  'its cost': COMPUTE_FORGERIES,
  'its transfer': TRANSFER_FORGERIES,
  'its memo': MEMO_FORGERIES,
  'its signatures': SIGNATURE_FORGERIES,
};

const isPicked = (_: unknown, index: number): boolean => process.env.ROUNDS === 'full' || index % 3 === 0;

describe('a facilitator that approves everything', () => {
  it.each(Object.entries(families))('P10 is not asked about a payment that is wrong in %s', async (_, forgeries) => {
    const genuine = await forge.genuine();
    for (const { name, reason, make } of forgeries.filter(isPicked)) {
      const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, forge);
      const told = await forge.pay(carrying(genuine.payload, wire));
      expect({ name, status: told.status, error: told.error }).toEqual({ name, status: 402, error: reason });
    }
    expect(yesMan.asked).toEqual([]);
    expect(forge.gateway.solana.provider.arrivals).toHaveLength(0);
  });

  it('P10 is asked about one that is right, and its word alone settles nothing', async () => {
    const told = await forge.pay((await forge.genuine()).payload);
    expect({ status: told.status, error: told.error }).toEqual({ status: 503, error: 'settlement_pending' });
    expect(told.body).not.toHaveProperty('result');
    expect(yesMan.asked).toEqual(['/verify', '/settle']);
  });
});

/** A port without a listener. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}

it('P8 a facilitator that is down at the start: sales begin once it is up, without a restart', async () => {
  const port = await freePort();
  const gateway = await startSellingGateway({ FEE_PAYER_KEYPAIR: '', FACILITATOR_URL: `http://127.0.0.1:${port}` });
  const url = gateway.url + newPath();
  const early = await ask(url);
  expect([early.status, early.code]).toEqual([503, 'facilitator_unavailable']);
  const facilitator = await startYesMan(addressOf(newKeypair()), port);
  await until(async () => (await ask(url)).status === 402);
  expect(gateway.solana.provider.arrivals).toHaveLength(0);
  await gateway.stop();
  await facilitator.close();
});
