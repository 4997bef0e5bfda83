import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS, REFUSALS, Refusal } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { freePort } from '../http/ports.ts';
import { isFull } from '../kit/rounds.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { answersWith } from './calls.ts';
import { ask, newPath, until } from './fault-buyer.ts';
import { addressOf, carrying, draftOf, openForge, openMarket, signed } from './forge.ts';
import {
  COMPUTE_FORGERIES,
  FEE_PAYER_FORGERIES,
  type Forgery,
  MEMO_FORGERIES,
  SIGNATURE_FORGERIES,
  SIGNER_FORGERIES,
  TRANSFER_FORGERIES,
  UNCOPIED_MEMOS,
} from './forgeries.ts';
import { plain, readWithKit } from './kit-reader.ts';

/** Starts a facilitator that approves everything. */
async function startApproving(feePayer: string, port = 0) {
  const server = await startStrangeGateway(port);
  const extra = { feePayer };
  const kinds = Object.values(NETWORKS).map((network) => ({ x402Version: 2, scheme: 'exact', network, extra }));
  server.answer(({ path }, response) =>
    json(response, 200, path === '/supported' ? { kinds } : { isValid: true, success: true, transaction: '' }),
  );
  return server;
}

/** What a facilitator was asked about payments. */
const asked = () => approving.arrivals.map(({ path }) => path).filter((path) => path !== '/supported');

const market = await openMarket();
afterAll(() => market.chain.close());
const { genuine, payer } = market;

/** The refusal of a transaction in the place of the genuine one. */
function refusalOf(wire: Uint8Array): Refusal {
  try {
    market.read(carrying(genuine.payload, wire));
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('this payment is accepted');
}

/** A forgery is refused for this reason, and both readers agree about its bytes. */
function expectRefused({ make, reason }: Forgery, message?: unknown): void {
  const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, market);
  const read = readTransaction(wire);
  expect(read && plain(read)).toEqual(readWithKit(wire));
  const { code, details } = refusalOf(wire);
  expect([code, details.message, details.payment]).toEqual([reason, message, { state: 'refused' }]);
}

/** For a client that copies no memo: it would pay one fresh requirement after the other in vain. */
const ADVICE = expect.stringMatching(/copy extra\.memo .*@x402\/svm 2\.10 or later\.$/);
const FEE_FORGERIES = [...FEE_PAYER_FORGERIES, ...SIGNER_FORGERIES, ...COMPUTE_FORGERIES];
const OTHER_FORGERIES = [...TRANSFER_FORGERIES, ...MEMO_FORGERIES, ...SIGNATURE_FORGERIES];

describe('a payment that is refused', () => {
  it('is not a genuine one, which the test encoder reproduces byte for byte', () => {
    expect(signed(draftOf(genuine.wire), [payer]).equals(genuine.wire)).toBe(true);
    expect(market.read(genuine.payload).amount).toBe('5');
  });

  it.each(FEE_FORGERIES)('P12 $name', (each) => expectRefused(each));
  it.each(OTHER_FORGERIES)('P10 $name', (each) => expectRefused(each));
  it.each(UNCOPIED_MEMOS)('P10 $name, with the advice to copy the memo', (each) => expectRefused(each, ADVICE));
});

const remoteFeePayer = addressOf(newKeypair());
const approving = await startApproving(remoteFeePayer);
const forge = await openForge();
const remoteForge = await openForge({ FACILITATOR_URL: approving.url, FEE_PAYER_KEYPAIR: '' }, remoteFeePayer);
/** Gateways that settle themselves or elsewhere, and a payment for each: all forgeries are made from it, so it stays unused. */
const GATEWAYS = [
  { forge, genuine: await forge.genuine() },
  { forge: remoteForge, genuine: await remoteForge.genuine() },
];

/** One forgery for each reason; all with ROUNDS=full. */
const SENT = [...FEE_FORGERIES, ...OTHER_FORGERIES].filter(
  ({ reason }, index, all) => isFull || all.findIndex((other) => other.reason === reason) === index,
);

const FEE_LAMPORTS = 10_001n;
let fees = 0n;
const lamportsAtFirst = (await forge.standing()).feePayer;

async function expectBought(): Promise<void> {
  const { payload } = await forge.genuine();
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

describe('a gateway', () => {
  it('takes a genuine payment', expectBought);

  it.each(SENT)('P10 refuses without a call to chain or facilitator: $name', async ({ make, reason }) => {
    for (const { forge, genuine } of GATEWAYS) {
      const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, forge);
      const before = await forge.standing();
      const body = await answersWith(402, reason, 'refused', forge.pay(carrying(genuine.payload, wire)));
      expect(body).toMatchObject({ message: REFUSALS[reason].message, accepts: [{ scheme: 'exact' }] });
      expect(await forge.standing()).toEqual(before);
    }
    expect(asked()).toEqual([]);
  });

  it('P12 the fee payer has paid only the fees of genuine payments', async () => {
    await expectBought();
    const { feePayer, transfers } = await forge.standing();
    expect(lamportsAtFirst - feePayer).toBe(fees);
    expect(BigInt(transfers) * FEE_LAMPORTS).toBe(fees);
  });

  it('P10 a facilitator is asked about a payment that is right, and its word alone settles nothing', async () => {
    const { payload } = await remoteForge.genuine();
    await answersWith(503, 'settlement_pending', 'pending', remoteForge.pay(payload));
    expect(asked()).toEqual(['/verify', '/settle']);
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

it('P10 reordered, missing or repeated instructions are refused', () => {
  const picks = fc
    .array(fc.integer({ min: 0, max: 3 }), { maxLength: 9 })
    .filter((picked) => picked.join() !== '0,1,2,3');
  const check = (picked: number[]) => {
    const instructions = picked.flatMap((index) => genuine.draft.instructions[index] ?? []);
    const { code } = refusalOf(signed({ ...genuine.draft, instructions }, [payer]));
    expect(code).toMatch(/^(?:invalid_exact_svm_payload_\w+|no_matching_requirements)$/);
  };
  fc.assert(fc.property(picks, check), { numRuns: 60 });
});
