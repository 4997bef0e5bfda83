import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS, REFUSALS } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { freePort } from '../http/ports.ts';
import { isFull } from '../kit/rounds.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { ask, newPath, until } from './fault-buyer.ts';
import { COMPUTE_FORGERIES, MEMO_FORGERIES, TRANSFER_FORGERIES, UNCOPIED_MEMOS } from './forge-instructions.ts';
import { addressOf, carrying, openForge } from './forge-market.ts';
import { FEE_PAYER_FORGERIES, SIGNATURE_FORGERIES, SIGNER_FORGERIES } from './forge-signers.ts';
import type { Forgery } from './forge-table.ts';
import { draftOf, signed } from './forge-wire.ts';
import { plain, readWithKit } from './kit-reader.ts';

/** Starts a facilitator that approves everything, and keeps what it is asked. */
async function startApproving(feePayer: string, port = 0) {
  const asked: string[] = [];
  const extra = { feePayer };
  const kinds = Object.values(NETWORKS).map((network) => ({ x402Version: 2, scheme: 'exact', network, extra }));
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path !== '/supported') asked.push(path);
    const answer = path === '/supported' ? { kinds } : { isValid: true, success: true, transaction: '' };
    response.setHeader('content-type', 'application/json');
    request.resume().on('end', () => response.end(JSON.stringify(answer)));
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  afterAll(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const remoteFeePayer = addressOf(newKeypair());
const approving = await startApproving(remoteFeePayer);
const forge = await stopAfterTests(openForge());
const remoteForge = await stopAfterTests(
  openForge({ FACILITATOR_URL: approving.url, FEE_PAYER_KEYPAIR: '' }, remoteFeePayer),
);
/** Gateways that settle themselves or elsewhere, and a payment for each: all forgeries are made from it, so it stays unused. */
const local = { forge, genuine: await forge.genuine() };
const remote = { forge: remoteForge, genuine: await remoteForge.genuine() };

const FEE_LAMPORTS = 10_001n;
let fees = 0n;
const lamportsAtFirst = (await forge.standing()).feePayer;

/** A forgery is refused by both gateways, without a call to chain or facilitator, in these words. */
async function expectRefused({ make, reason }: Forgery, message: unknown = REFUSALS[reason].message): Promise<void> {
  for (const { forge, genuine } of [local, remote]) {
    const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, forge);
    const read = readTransaction(wire);
    expect(read && plain(read)).toEqual(readWithKit(wire));
    const before = await forge.standing();
    const { status, error, body } = await forge.pay(carrying(genuine.payload, wire));
    expect({ status, error }).toEqual({ status: 402, error: reason });
    expect(body).toMatchObject({ message, payment: { state: 'refused' }, accepts: [{ scheme: 'exact' }] });
    expect(body).not.toHaveProperty('result');
    expect(await forge.standing()).toEqual(before);
  }
  expect(approving.asked).toEqual([]);
}

async function expectBought(): Promise<void> {
  const { payload, wire, draft } = await forge.genuine();
  expect(signed(draft, [forge.payer]).equals(wire)).toBe(true);
  const before = await forge.standing();
  expect((await forge.pay(payload)).status).toBe(200);
  fees += FEE_LAMPORTS;
  expect(await forge.standing()).toEqual({
    calls: expect.any(Number),
    transfers: before.transfers + 1,
    payee: before.payee + 5n,
    payer: before.payer - 5n,
    feePayer: before.feePayer - FEE_LAMPORTS,
  });
}

/** For a client that copies no memo: it would pay one fresh requirement after the other in vain. */
const ADVICE = expect.stringMatching(/copy extra\.memo .*@x402\/svm 2\.10 or later\.$/);

describe('payments that are refused without a call to chain or facilitator', () => {
  it('do not include a genuine payment, which the test encoder reproduces byte for byte', expectBought);

  it.each([...FEE_PAYER_FORGERIES, ...SIGNER_FORGERIES, ...COMPUTE_FORGERIES])('P12 $name', (each) =>
    expectRefused(each),
  );
  it.each([...TRANSFER_FORGERIES, ...MEMO_FORGERIES, ...SIGNATURE_FORGERIES])('P10 $name', (each) =>
    expectRefused(each),
  );
  it.each(UNCOPIED_MEMOS)('P10 $name, with the advice to copy the memo', (each) => expectRefused(each, ADVICE));

  it('P12 the fee payer has paid only the fees of genuine payments', async () => {
    await expectBought();
    const { feePayer, transfers } = await forge.standing();
    expect(lamportsAtFirst - feePayer).toBe(fees);
    expect(BigInt(transfers) * FEE_LAMPORTS).toBe(fees);
  });

  it('P10 a facilitator is asked about a payment that is right, and its word alone settles nothing', async () => {
    const { status, error, body } = await remoteForge.pay((await remoteForge.genuine()).payload);
    expect({ status, error }).toEqual({ status: 503, error: 'settlement_pending' });
    expect(body).not.toHaveProperty('result');
    expect(approving.asked).toEqual(['/verify', '/settle']);
    expect(remoteForge.gateway.solana.provider.arrivals).toHaveLength(1);
  });
});

it('P8 a facilitator that is down at the start: sales begin once it is up, without a restart', async () => {
  const port = await freePort();
  const variables = { FEE_PAYER_KEYPAIR: '', FACILITATOR_URL: `http://127.0.0.1:${port}` };
  const gateway = await startSellingGateway(variables, { solana: forge.gateway.solana });
  const url = gateway.url + newPath();
  const early = await ask(url);
  expect([early.status, early.code]).toEqual([503, 'facilitator_unavailable']);
  await startApproving(addressOf(newKeypair()), port);
  await until(async () => (await ask(url)).status === 402);
  await gateway.stop();
});

/** Where the payer's signature begins; what stands before it is the fee payer's to fill. */
const SIGNED_FROM = 65;

/** A payment for the local gateway, which all changes start from. */
const { genuine } = local;

async function expectNothingMoved(wire: Uint8Array): Promise<void> {
  const before = await forge.standing();
  const told = await forge.pay(carrying(genuine.payload, wire));
  expect(told.status).toBe(402);
  expect(told.error).toMatch(/^(?:invalid_exact_svm_payload_\w+|no_matching_requirements|payment_malformed)$/);
  expect(await forge.standing()).toEqual(before);
}

describe('random changes', () => {
  it('P10 any changed byte of the message or the signature is refused', async () => {
    const change = fc.tuple(
      fc.integer({ min: SIGNED_FROM, max: genuine.wire.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
    );
    const check = async ([at, bits]: [number, number]) => {
      const wire = Buffer.from(genuine.wire);
      wire.writeUInt8(wire.readUInt8(at) ^ bits, at);
      await expectNothingMoved(wire);
    };
    await fc.assert(fc.asyncProperty(change, check), { numRuns: isFull ? 100 : 30 });
  });

  it('P10 reordered, missing or repeated instructions are refused', async () => {
    const picks = fc
      .array(fc.integer({ min: 0, max: 3 }), { maxLength: 9 })
      .filter((picked) => picked.join() !== '0,1,2,3');
    const check = async (picked: number[]) => {
      const instructions = genuine.draft.instructions.filter(Boolean);
      const shuffled = picked.flatMap((index) => instructions[index] ?? []);
      await expectNothingMoved(signed({ ...genuine.draft, instructions: shuffled }, [forge.payer]));
    };
    await fc.assert(fc.asyncProperty(picks, check), { numRuns: isFull ? 60 : 20 });
  });

  it('P10 reordered accounts of the transfer are refused', async () => {
    const places = fc
      .array(fc.integer({ min: 0, max: 7 }), { minLength: 3, maxLength: 5 })
      .filter((accounts) => accounts.join() !== genuine.draft.instructions[2]?.accounts.join())
      .filter(([source, , destination]) => {
        const [ours, , payee] = genuine.draft.instructions[2]?.accounts ?? [];
        return source === ours || destination !== payee;
      });
    const check = async (accounts: number[]) => {
      const instructions = genuine.draft.instructions.map((each, place) =>
        place === 2 ? { ...each, accounts } : each,
      );
      await expectNothingMoved(signed({ ...genuine.draft, instructions }, [forge.payer]));
    };
    await fc.assert(fc.asyncProperty(places, check), { numRuns: isFull ? 60 : 20 });
  });

  it('P10 a payment of another wallet under the old signature is refused', async () => {
    const thief = newKeypair();
    const keys = genuine.draft.keys.map((key, place) => (place === 1 ? addressOf(thief) : key));
    await expectNothingMoved(signed({ ...genuine.draft, keys }, [forge.payer]));
  });
});
