import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Background } from '../../packages/gateway/src/background.ts';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import { Chain } from '../../packages/gateway/src/payments/facilitator/chain.ts';
import type { Facilitator } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { addressOf, InProcessFacilitator } from '../../packages/gateway/src/payments/facilitator/local.ts';
import { RemoteFacilitator } from '../../packages/gateway/src/payments/facilitator/remote.ts';
import type { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { Reconciler } from '../../packages/gateway/src/payments/reconcile.ts';
import type { NewPayment, PaymentRecord } from '../../packages/gateway/src/payments/record.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { inEachTest } from '../kit/in-suite.ts';
import {
  ledgerSuite,
  newPayment,
  openSqliteLedger,
  REFUSED,
  signatureOf,
  startSettling,
  UNKNOWN,
} from '../kit/ledger.ts';
import { standIn } from '../kit/stand-in.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { signatureOver } from './drafts.ts';
import { openMarket } from './forge.ts';
import { CONFIRMED, FAILED, MISSING, PROCESSED, RPC, startScriptedNode } from './scripted-node.ts';

const network = NETWORKS.mainnet;
const keypair = newKeypair();
const feePayer = addressOf(keypair);
const market = await openMarket();
afterAll(() => market.chain.close());
const { wire } = market.genuine;
const signature = bs58.encode(signatureOver(wire.subarray(1 + 2 * 64), keypair));
const sendable = {
  transaction: wire.toString('base64'),
  requirement: standIn<NewPayment['requirement']>({ ...market.offer, amount: '5', extra: { feePayer } }),
};

const [node, remote] = [await startScriptedNode(), await startStrangeGateway()];
const ledger = inEachTest(() => openSqliteLedger());
/** The height before a payment was sent, and the last height at which it can land. */
const SENT_HEIGHT = 7;
const LAST_HEIGHT = SENT_HEIGHT + 200;
/** What is final when a payment is looked up. */
const SLOT = 100;

/** By the monotonic clock, which tests of a suite turn. PostgreSQL's clock would take that for a step. */
let nowMs = 0;
const turnClock = (): void =>
  beforeEach(() => {
    nowMs = 50_000;
    vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => BigInt(nowMs) * 1_000_000n);
  });
afterEach(() => void vi.restoreAllMocks());

/** The block that is final. */
const final = (height: number) => ({
  result: { context: { slot: SLOT }, value: { blockhash: '', lastValidBlockHeight: height + 150 } },
});
const ALIVE = final(LAST_HEIGHT);
const EXPIRED = final(LAST_HEIGHT + 1);
const LOOKED_UP = ['getLatestBlockhash', 'getSignatureStatuses'];

type Sent = { readonly signature?: string | undefined; readonly height?: number | undefined };

/** A payment with an unknown outcome. */
async function unresolved(change: Partial<NewPayment> = {}, sent: Sent = {}): Promise<PaymentRecord> {
  const payment = newPayment({ ...sendable, ...change });
  const { key, owner } = payment;
  expect(await ledger.payments.reserve(payment)).toBe('reserved');
  const attempt = { answer: '{}', signature: signatureOf(payment), height: SENT_HEIGHT, ...sent };
  expect(await ledger.payments.beginSettlement(key, owner, attempt)).toBe('settling');
  return (await ledger.payments.resolve(key, UNKNOWN, owner)).record as PaymentRecord;
}

/** What is recorded of a payment. */
const recorded = ({ key }: PaymentRecord) => ledger.payments.find(key);

type Answers = Parameters<typeof node.play>[0][string];

/** A node's answers to `getLatestBlockhash`, to `getSignatureStatuses`, and to `getSignaturesForAddress`. */
function play(blocks: Answers, statuses: Answers = [], history: readonly unknown[] = []): void {
  node.play({
    getLatestBlockhash: blocks,
    getSignatureStatuses: statuses,
    getSignaturesForAddress: [{ result: history }],
    sendTransaction: [RPC.sent],
  });
}

/** A reconciler that reads the node. A new chain reads the final block anew. */
function open(facilitator?: Facilitator) {
  const { payments } = ledger;
  const chain = new Chain(node.url);
  const chains = new Map([[network, chain]]);
  const { background } = payments;
  const local = new InProcessFacilitator({
    ...{ keypair, chains, verifyingChains: chains, background, feeBudgetPerHour: 1 },
    notice: () => undefined,
  });
  const outcomes: string[] = [];
  const dependencies = { payments, facilitator: facilitator ?? local, crypto: nodeCrypto, chains };
  const reconciler = new Reconciler({ ...dependencies, onSettlement: (outcome) => void outcomes.push(outcome) });
  onTestFinished(async () => {
    await reconciler.close();
    await local.close();
    await chain.close();
  });
  return { reconciler, chain, outcomes, failures: () => background.counts.get('reconciliation') };
}

/** Looks a payment up once. */
async function lookUp(record: PaymentRecord) {
  const { reconciler, outcomes, failures } = open();
  await reconciler.reconcile(record);
  return { outcomes, failures: failures(), record: await recorded(record), methods: node.methods() };
}

const PENDING = { outcomes: [], failures: 0, record: { progress: 'unresolved' } };

describe('P6 a payment whose outcome is unknown', () => {
  turnClock();

  it('is settled when the chain shows it', async () => {
    const record = await unresolved();
    play([ALIVE], [CONFIRMED]);
    const settled = { progress: 'settled', signature: record.signature };
    const once = { outcomes: ['settled'], failures: 0, record: settled, methods: LOOKED_UP };
    expect(await lookUp(record)).toMatchObject(once);
    expect(node.calls[1]?.params[0]).toEqual([record.signature]);
    // What another process has recorded since is no outcome of this look.
    expect(await lookUp(record)).toMatchObject({ outcomes: [], failures: 0, record: settled });
  });

  it('is refused when it has failed on the chain', async () => {
    const record = await unresolved();
    play([ALIVE], [FAILED]);
    const refused = { progress: 'refused', reason: REFUSED.reason, hasFailedOnChain: true };
    expect(await lookUp(record)).toMatchObject({ outcomes: ['refused'], record: refused, methods: LOOKED_UP });
  });

  it('is not sent again while it is on its way, however late', async () => {
    const record = await unresolved();
    play([EXPIRED], [PROCESSED]);
    expect(await lookUp(record)).toMatchObject({ ...PENDING, methods: LOOKED_UP });
  });

  it.each([
    ['can still land', SENT_HEIGHT, ALIVE],
    ['was sent at an unknown height', undefined, EXPIRED],
  ])('is sent again unchanged if it is missing and %s', async (_, height, block) => {
    const record = await unresolved({}, { height });
    play([block], [MISSING]);
    for (const atMs of [50_000, 60_000]) {
      nowMs = atMs;
      expect(await lookUp(record)).toMatchObject(PENDING);
    }
    expect(node.methods()).toEqual([...LOOKED_UP, 'sendTransaction', ...LOOKED_UP, 'sendTransaction']);
    const signed = Buffer.concat([wire.subarray(0, 1), bs58.decode(signature), wire.subarray(65)]);
    expect(node.calls[2]?.params[0]).toBe(signed.toString('base64'));
  });

  it('is not sent again if its transaction cannot be read', async () => {
    const record = await unresolved({ transaction: 'AAAA' });
    play([ALIVE], [MISSING]);
    expect(await lookUp(record)).toMatchObject({ ...PENDING, methods: LOOKED_UP });
  });

  it('is not sent again once it is refused, because its payer may have made another', async () => {
    const record = await unresolved();
    await ledger.payments.resolve(record.key, REFUSED);
    play([ALIVE], [MISSING]);
    const refused = { progress: 'refused' };
    const again = await lookUp((await recorded(record)) as PaymentRecord);
    expect(again).toMatchObject({ outcomes: [], failures: 0, record: refused, methods: LOOKED_UP });
  });

  it('is not sent again by a facilitator that cannot', async () => {
    const record = await unresolved();
    play([ALIVE], [MISSING]);
    const { reconciler, failures } = open(openRemote());
    await reconciler.reconcile(record);
    expect([failures(), node.methods()]).toEqual([0, LOOKED_UP]);
  });

  it('stays unknown when the chain does not answer', async () => {
    const record = await unresolved();
    play([{ status: 500 }]);
    expect(await lookUp(record)).toMatchObject({ ...PENDING, failures: 1 });
  });

  it('stays unknown when the gateway closes, which is not a failure', async () => {
    const record = await unresolved();
    play([{ status: 500 }]);
    const { reconciler, failures } = open();
    const looking = reconciler.reconcile(record);
    await reconciler.close();
    await looking;
    expect([failures(), await recorded(record)]).toMatchObject([0, { progress: 'unresolved' }]);
  });

  it('is looked up once for several who ask, and once more for the next', async () => {
    const record = await unresolved();
    play([ALIVE], [PROCESSED]);
    const { reconciler } = open();
    const [first, second] = [reconciler.reconcile(record), reconciler.reconcile(record)];
    expect(second).toBe(first);
    await Promise.all([first, second]);
    expect(node.methods()).toEqual(LOOKED_UP);
    await reconciler.reconcile(record);
    // The final block is reused for a second.
    expect(node.methods()).toEqual([...LOOKED_UP, 'getSignatureStatuses']);
  });

  it('is looked up by each sweep without a request', async () => {
    const record = await unresolved();
    const { reconciler, outcomes } = open();
    play([ALIVE], [PROCESSED, CONFIRMED]);
    await expect
      .poll(async () => {
        await reconciler.sweep();
        return outcomes;
      })
      .toEqual(['settled']);
    expect(node.methods()).toEqual([...LOOKED_UP, 'getSignatureStatuses']);
    expect(await recorded(record)).toMatchObject({ progress: 'settled' });
  });

  it.each([
    ['at once where there is a chain to read', network, 0],
    ['after a pause where there is none', NETWORKS.devnet, 2_000],
  ])('is due for the next sweep %s', async (_, where, pauseMs) => {
    const record = await unresolved({ network: where });
    ledger.nowMs += 8_000;
    play([ALIVE], [PROCESSED]);
    remote.answer((_, response) => json(response, 503, {}));
    await open(openRemote()).reconciler.sweep();
    expect((await recorded(record))?.searchFromMs).toBe(ledger.nowMs + pauseMs);
  });
});

describe('P6 a payment that is missing after its blockhash has expired', () => {
  turnClock();

  const AGAIN_MS = TIMES.apartMs;
  const refused = { progress: 'refused', reason: 'expired', hasFailedOnChain: false };

  /** What is recorded after looks at these times, and after each of them, with these answers of the node. */
  async function looksAt(record: PaymentRecord, times: readonly number[], statuses: Answers = [MISSING]) {
    play([EXPIRED], statuses);
    const { reconciler, outcomes } = open();
    const seen: unknown[] = [];
    for (const atMs of times) {
      nowMs = 50_000 + atMs;
      await reconciler.reconcile(record);
      seen.push((await recorded(record))?.progress);
    }
    return { seen, outcomes, record: await recorded(record) };
  }

  it('is refused by two answers that are far enough apart, and not sent again', async () => {
    const looks = await looksAt(await unresolved(), [0, AGAIN_MS - 1, AGAIN_MS]);
    const seen = ['unresolved', 'unresolved', 'refused'];
    expect(looks).toMatchObject({ seen, outcomes: ['refused'], record: refused });
    expect(node.methods()).not.toContain('sendTransaction');
  });

  it('X6 is not refused by a node that is behind', async () => {
    const behind = RPC.status(null, SLOT - 1);
    const times = [0, AGAIN_MS, 2 * AGAIN_MS];
    expect((await looksAt(await unresolved(), times, [behind])).seen).toEqual(times.map(() => 'unresolved'));
    expect(node.methods()).not.toContain('sendTransaction');
    expect((await looksAt(await unresolved(), times, [MISSING, behind, MISSING])).seen.at(-1)).toBe('refused');
  });

  it('begins again if it was seen in between', async () => {
    const looks = await looksAt(await unresolved(), [0, 1, AGAIN_MS, 2 * AGAIN_MS], [MISSING, PROCESSED, MISSING]);
    expect(looks.seen).toEqual(['unresolved', 'unresolved', 'unresolved', 'refused']);
  });

  /** A transaction in the history of an account. */
  const other = { signature: 'other', slot: 1, err: null, blockTime: null, memo: null };
  const row = (change: object = {}) => ({ ...other, ...change });

  describe('and whose signature only a remote facilitator knows', () => {
    const unsigned = (change?: Partial<NewPayment>) => unresolved(change, { signature: undefined });
    const found = row({ signature, memo: '[4] memo' });
    const SEARCHED = ['getLatestBlockhash', 'getSignaturesForAddress'];

    it('is found by its memo and the signature of the fee payer', async () => {
      const record = await unsigned();
      play([EXPIRED], [CONFIRMED], [row(), found, row()]);
      const methods = [...SEARCHED, 'getSignatureStatuses'];
      expect(await lookUp(record)).toMatchObject({ outcomes: ['settled'], record: { signature }, methods });
      const [account, page] = node.calls[1]?.params ?? [];
      expect([account, page]).toEqual([record.source, { limit: 1_000, minContextSlot: SLOT, commitment: 'confirmed' }]);
      expect(node.calls[2]?.params[0]).toEqual([signature]);
    });

    it.each([
      ['another memo', row({ signature, memo: '[5] memo2' })],
      ['another signature', row({ memo: '[4] memo' })],
    ])('is not one with %s', async (_, other) => {
      play([ALIVE], [CONFIRMED], [other]);
      expect(await lookUp(await unsigned())).toMatchObject({ ...PENDING, methods: SEARCHED });
    });

    it('is refused by two searches that are far enough apart, and not sent again', async () => {
      const record = await unsigned();
      const { reconciler, outcomes } = open();
      play([EXPIRED], [], []);
      await reconciler.reconcile(record);
      expect(await recorded(record)).toMatchObject({ progress: 'unresolved' });
      nowMs += AGAIN_MS;
      await reconciler.reconcile(record);
      expect([outcomes, await recorded(record)]).toMatchObject([['refused'], refused]);
      expect(node.methods()).toEqual([...SEARCHED, 'getSignaturesForAddress']);
    });

    it.each([
      ['its memo is unknown', { memo: undefined }],
      ['its transaction cannot be read', { transaction: 'AAAA' }],
    ])('is not refused, and nothing is searched, if %s', async (_, change) => {
      const record = await unsigned(change);
      const { reconciler, failures } = open();
      play([EXPIRED], [CONFIRMED], [found]);
      for (let count = 0; count < 3; count++, nowMs += AGAIN_MS) await reconciler.reconcile(record);
      expect([failures(), await recorded(record)]).toMatchObject([0, { progress: 'unresolved' }]);
      expect(node.methods()).toEqual(['getLatestBlockhash']);
    });

    describe.each([
      ['from before its challenge', -1, 'refused'],
      ['that may be younger than its challenge', 0, 'unresolved'],
      ['without times', undefined, 'unresolved'],
    ])('in a history that is full, with rows %s', (_, aheadMs, progress) => {
      it(`is ${progress}`, async () => {
        const record = await unsigned();
        const issuedMs = (record.settlingSinceMs ?? 0) - TIMES.challengeMs - 60_000;
        const blockTime = aheadMs === undefined ? null : (issuedMs + aheadMs) / 1_000;
        const [newest, oldest] = [row({ blockTime: 9_999_999_999 }), row({ blockTime })];
        play([EXPIRED], [], [...Array.from({ length: 999 }, () => newest), oldest]);
        const { reconciler } = open();
        for (let count = 0; count < 2; count++, nowMs += AGAIN_MS) await reconciler.reconcile(record);
        expect(await recorded(record)).toMatchObject({ progress });
      });
    });
  });
});

describe("the chain's evidence of a payment", () => {
  it('is nothing without a chain', async () => {
    const record = await unresolved();
    const nothing = { signature: undefined, isComplete: false, status: 'missing', chainSlot: 0 };
    expect(await open().reconciler.look(record, undefined)).toEqual(nothing);
  });

  it('is the status of its signature', async () => {
    const record = await unresolved();
    const { reconciler, chain } = open();
    play([], [PROCESSED]);
    const sighting = { signature: record.signature, isComplete: true, status: 'seen', chainSlot: SLOT };
    expect(await reconciler.look(record, chain)).toEqual(sighting);
  });

  it.each([SLOT, undefined])('is complete if its history was searched from a node at slot %s', async (slot) => {
    const record = await unresolved({}, { signature: undefined });
    const { reconciler, chain } = open();
    play([]);
    const missing = { signature: undefined, isComplete: true, status: 'missing', chainSlot: slot ?? 0 };
    expect(await reconciler.look(record, chain, slot)).toEqual(missing);
    play([], [PROCESSED], [{ signature, slot: 1, err: null, blockTime: null, memo: '[4] memo' }]);
    const seen = { signature, isComplete: true, status: 'seen', chainSlot: SLOT };
    expect(await reconciler.look(record, chain, slot)).toEqual(seen);
  });
});

/** The remote facilitator. */
function openRemote(): RemoteFacilitator {
  const options = { url: remote.url, authorization: undefined, crypto: nodeCrypto, background: new Background() };
  const facilitator = new RemoteFacilitator(options);
  onTestFinished(() => facilitator.close());
  return facilitator;
}

/** A reconciler that can only ask the remote facilitator. */
function openChainless(payments: Payments): Reconciler {
  const reconciler = new Reconciler({ payments, crypto: nodeCrypto, chains: new Map(), facilitator: openRemote() });
  onTestFinished(() => reconciler.close());
  return reconciler;
}

describe('P6 a payment without a chain to read', () => {
  /** Asks the facilitator once. */
  async function ask(record: PaymentRecord, answer: unknown) {
    remote.answer((_, response) => json(response, 200, answer));
    await openChainless(ledger.payments).reconcile(record);
    const failures = ledger.payments.background.counts.get('reconciliation');
    return { asked: remote.arrivals.map(({ path }) => path), failures, record: await recorded(record) };
  }

  const unsigned = (change?: Partial<NewPayment>) => unresolved(change, { signature: undefined });
  const succeeds = { success: true, transaction: signature, network };
  const refuses = { success: false, errorReason: 'invalid_exact_svm_payload_memo', transaction: '', network };

  it('is settled if the facilitator proves it', async () => {
    const settled = { progress: 'settled', signature };
    expect(await ask(await unsigned(), succeeds)).toMatchObject({ asked: ['/settle'], failures: 0, record: settled });
  });

  it('is not refused by the facilitator, which may have sent it before', async () => {
    const record = { progress: 'unresolved' };
    expect(await ask(await unsigned(), refuses)).toMatchObject({ asked: ['/settle'], failures: 0, record });
  });

  it.each([
    ['after it was refused', {}],
    ['if its transaction cannot be read', { transaction: 'AAAA' }],
  ])('is not asked about %s', async (_, change) => {
    const record = await unsigned(change);
    if (!('transaction' in change)) await ledger.payments.resolve(record.key, REFUSED);
    const present = (await recorded(record)) as PaymentRecord;
    expect(await ask(present, succeeds)).toMatchObject({ asked: [], failures: 0, record: present });
  });
});

const MINUTE_MS = 60_000;

ledgerSuite('X16 a payment whose facilitator does not answer, without a chain to read,', (ledger) => {
  /** Leaves payments without an outcome. */
  async function leave(count: number): Promise<NewPayment[]> {
    const payments: NewPayment[] = [];
    for (let number = 0; number < count; number++) {
      const payment = newPayment(sendable);
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, UNKNOWN, payment.owner);
      payments.push(payment);
      ledger.nowMs += 1;
    }
    return payments;
  }

  /** Lets time pass and searches. Answers the payments that the facilitator was asked about. */
  async function searching() {
    remote.answer((_, response) => json(response, 503, {}));
    const { payments } = ledger;
    const reconciler = openChainless(payments);
    // Its own sweeps follow real time, so that the test's clock could run ahead of one.
    await reconciler.close();
    return async (ms: number) => {
      ledger.nowMs += ms;
      const from = remote.arrivals.length;
      await Promise.all((await payments.nextOpen(() => false)).map((record) => reconciler.reconcile(record)));
      // The facilitator is also asked for its fee payers every two seconds of real time.
      const asked = remote.arrivals.slice(from).filter(({ path }) => path === '/settle');
      return asked.map(({ headers }) => String(headers['idempotency-key']));
    };
  }

  it('waits for its turn, and a hundred others stop no newer one', async () => {
    const payments = await leave(110);
    const searchAfter = await searching();
    const asked = new Set([...(await searchAfter(2_000)), ...(await searchAfter(1)), ...(await searchAfter(1))]);
    expect(payments.filter(({ key }) => !asked.has(key))).toEqual([]);
  });

  it('takes its turn with those of a chain, which are looked up at each search', async () => {
    const payments = await leave(3);
    const taken = async () => (await ledger.payments.nextOpen(() => true)).map(({ key }) => key);
    for (let round = 0; round < 2; round++) {
      expect(await taken()).toEqual(payments.map(({ key }) => key));
      ledger.nowMs += 1;
    }
  });

  it('is asked about less and less often, and no longer once it cannot land', async () => {
    const [payment] = await leave(1);
    const searchAfter = await searching();
    const counts: number[] = [];
    for (let minute = 0; minute < 14; minute++) {
      let count = 0;
      for (let second = 0; second < 60; second += 2) count += (await searchAfter(2_000)).length;
      counts.push(count);
    }
    const [first = 0, second = 0, ...others] = counts;
    expect(first).toBeLessThan(20);
    expect(second).toBeLessThan(first);
    expect(Math.max(...others)).toBeLessThan(8);
    expect(others.slice(0, 7).every((count) => count > 0)).toBe(true);
    expect(others.slice(-2)).toEqual([0, 0]);
    expect(await ledger.books.openPayments()).toMatchObject([{ id: payment?.key, state: 'given up' }]);
  });

  it('locks its payer out of the request until then, and no longer', async () => {
    const [payment] = await leave(1);
    const again = () => newPayment({ payer: payment?.payer ?? '', requestHash: payment?.requestHash ?? '' });
    const searchAfter = await searching();
    await searchAfter(9 * MINUTE_MS);
    expect(await ledger.payments.reserve(again())).toBe('due');
    await searchAfter(2 * MINUTE_MS);
    const next = again();
    await startSettling(ledger, next);
    await ledger.payments.resolve(next.key, UNKNOWN, next.owner);
    expect(await ledger.payments.find(payment?.key ?? '')).toMatchObject({ progress: 'unresolved' });
  });

  it('is not given up by a clock that has just jumped', async () => {
    const [payment] = await leave(1);
    const { clock } = ledger.database;
    ledger.database.clock = async () => {
      const row = await clock.call(ledger.database);
      return { ...row, steppedMs: row.nowMs };
    };
    const searchAfter = await searching();
    for (let round = 0; round < 3; round++) expect(await searchAfter(20 * MINUTE_MS)).toEqual([payment?.key]);
    expect((await ledger.books.openPayments()).map(({ state }) => state)).toEqual(['unresolved']);
    ledger.nowMs += MINUTE_MS;
    expect(await ledger.payments.nextOpen(() => false)).toHaveLength(1);
  });
});
