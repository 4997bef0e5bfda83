import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, newPath, until } from './fault-buyer.ts';
import { COMPUTE_FORGERIES } from './forge-compute.ts';
import { FEE_PAYER_FORGERIES, SIGNER_FORGERIES } from './forge-fee-payer.ts';
import { addressOf, carrying, openForge } from './forge-market.ts';
import { MEMO_FORGERIES } from './forge-memo.ts';
import { SIGNATURE_FORGERIES } from './forge-signature.ts';
import { TRANSFER_FORGERIES } from './forge-transfer.ts';
import { draftOf } from './forge-wire.ts';

/** A facilitator that approves everything, and its calls. */
interface ApprovingFacilitator {
  readonly url: string;
  readonly asked: string[];
  close(): Promise<void>;
}

/** Starts one; default: a free port. */
async function startApprovingFacilitator(feePayer: string, port = 0): Promise<ApprovingFacilitator> {
  const asked: string[] = [];
  const kinds = Object.values(NETWORKS).map((network) => ({
    x402Version: 2,
    scheme: 'exact',
    network,
    extra: { feePayer },
  }));
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path !== '/supported') asked.push(path);
    const answer = path === '/supported' ? { kinds } : { isValid: true, success: true, transaction: '' };
    request
      .resume()
      .on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)));
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => new Promise((closed) => server.close(() => closed()).closeAllConnections()),
  };
}

const feePayer = addressOf(newKeypair());

const approving = await startApprovingFacilitator(feePayer);
const forge = await openForge({ FACILITATOR_URL: approving.url, FEE_PAYER_KEYPAIR: '' }, feePayer);
afterAll(async () => {
  await forge.stop();
  await approving.close();
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
    expect(approving.asked).toEqual([]);
    expect(forge.gateway.solana.provider.arrivals).toHaveLength(0);
  });

  it('P10 is asked about one that is right, and its word alone settles nothing', async () => {
    const told = await forge.pay((await forge.genuine()).payload);
    expect({ status: told.status, error: told.error }).toEqual({ status: 503, error: 'settlement_pending' });
    expect(told.body).not.toHaveProperty('result');
    expect(approving.asked).toEqual(['/verify', '/settle']);
  });
});

it('P8 a facilitator that is down at the start: sales begin once it is up, without a restart', async () => {
  const port = await freePort();
  const gateway = await startSellingGateway({ FEE_PAYER_KEYPAIR: '', FACILITATOR_URL: `http://127.0.0.1:${port}` });
  const url = gateway.url + newPath();
  const early = await ask(url);
  expect([early.status, early.code]).toEqual([503, 'facilitator_unavailable']);
  const facilitator = await startApprovingFacilitator(addressOf(newKeypair()), port);
  await until(async () => (await ask(url)).status === 402);
  expect(gateway.solana.provider.arrivals).toHaveLength(0);
  await gateway.stop();
  await facilitator.close();
});
