import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Background } from '../../packages/gateway/src/background.ts';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import { Chain } from '../../packages/gateway/src/payments/facilitator/chain.ts';
import type { Facilitator, Payment } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { addressOf, InProcessFacilitator } from '../../packages/gateway/src/payments/facilitator/local.ts';
import { feePayerReader } from '../../packages/gateway/src/payments/open.ts';
import { feeChargeOf, fitsBudget, hasOwnFeePayer } from '../../packages/gateway/src/payments/record.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { newPayment, requirementOf } from '../kit/ledger.ts';
import { standIn } from '../kit/stand-in.ts';
import { signatureOver } from './drafts.ts';
import { CONFIRMED, FAILED, MISSING, NO_ACCOUNT, PROCESSED, RPC, startScriptedNode } from './scripted-node.ts';

const network = NETWORKS.mainnet;
const keypair = newKeypair();
const BUDGET = 1_000;
const INVALID = 'invalid_exact_svm_transaction_simulation_failed';
const NO_SOL = 'the fee payer has no SOL';
const YOUNG = RPC.simulated('BlockhashNotFound');
/** Each means that the fee payer cannot pay; it is the first account of its transaction. */
const CANNOT_PAY = [
  'AccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  { InsufficientFundsForRent: { account_index: 0 } },
];

const [settling, verifying] = [await startScriptedNode(), await startScriptedNode()];
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A facilitator that settles at one node and verifies at the other. */
function open() {
  const chains = new Map([[network, new Chain(settling.url)]]);
  const verifyingChains = new Map([[network, new Chain(verifying.url)]]);
  const background = new Background();
  const notices: string[] = [];
  const facilitator = new InProcessFacilitator({
    ...{ keypair, chains, verifyingChains, background, feeBudgetPerHour: BUDGET },
    notice: (message) => void notices.push(message),
  });
  onTestFinished(async () => {
    await facilitator.close();
    for (const each of [...chains.values(), ...verifyingChains.values()]) await each.close();
  });
  return { facilitator, background, notices };
}

/** A payment that lacks the fee payer's signature. */
function paymentOn(where: string = network): Payment {
  const message = Buffer.from(`a message of ${where}`);
  const transaction = Buffer.concat([Buffer.of(1), Buffer.alloc(64), message]).toString('base64');
  return { key: 'key', network: where, transaction, message, requirement: requirementOf(5) };
}

const payment = paymentOn();
const signature = bs58.encode(signatureOver(payment.message, keypair));
const signed = Buffer.concat([Buffer.of(1), bs58.decode(signature), payment.message]).toString('base64');
const elsewhere = paymentOn(NETWORKS.devnet);

describe('the fee payer of the gateway', () => {
  it('has the address of its key pair, on each network that has a chain', () => {
    const address = bs58.encode(keypair.subarray(32));
    const { facilitator } = open();
    expect(addressOf(keypair)).toBe(address);
    expect([network, NETWORKS.devnet].map((each) => facilitator.feePayer(each))).toEqual([address, undefined]);
    expect(facilitator.feeBudgetPerHour).toBe(BUDGET);
  });

  it('signs the message of each payment', () => {
    const { facilitator } = open();
    for (const each of [payment, elsewhere, payment]) {
      const made = bs58.decode(facilitator.signatureOf(each));
      expect(nodeCrypto.verify(made, each.message, keypair.subarray(32))).toBe(true);
    }
  });

  it.each(CANNOT_PAY)('closes its network while it cannot pay: %j', async (error) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { facilitator, background, notices } = open();
    settling.play({ getAccountInfo: [NO_ACCOUNT, RPC.account(910_879), RPC.account(910_880)] });
    verifying.play({ simulateTransaction: [RPC.simulated(error)] });
    expect(facilitator.whyClosed(network)).toBeUndefined();
    for (let count = 0; count < 2; count++)
      await expect(facilitator.verify(payment)).rejects.toMatchObject({
        ...{ code: 'facilitator_unavailable', message: NO_SOL, details: { payment: { state: 'unused' } } },
      });
    expect([network, NETWORKS.devnet].map((each) => facilitator.whyClosed(each))).toEqual([NO_SOL, undefined]);
    const closed = `the fee payer ${addressOf(keypair)} cannot pay fees on ${network}: paid routes there are closed until it holds SOL`;
    expect(notices).toEqual([closed]);
    vi.advanceTimersByTime(4_999);
    expect(settling.calls).toEqual([]);
    vi.advanceTimersByTime(1);
    await expect.poll(() => settling.calls).toHaveLength(1);
    expect(settling.calls[0]?.params[0]).toBe(addressOf(keypair));
    // Its answer is read before the next poll.
    await expect
      .poll(() => {
        vi.advanceTimersByTime(5_000);
        return settling.calls.length;
      })
      .toBe(3);
    await expect.poll(() => facilitator.whyClosed(network)).toBeUndefined();
    expect(notices).toEqual([closed, `the fee payer holds SOL on ${network} again: paid routes there are open`]);
    vi.advanceTimersByTime(60_000);
    expect([vi.getTimerCount(), settling.calls.length, background.counts.get('fee_payers')]).toEqual([0, 3, 0]);
  });

  it('is asked about no more when the facilitator has closed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { facilitator } = open();
    verifying.play({ simulateTransaction: [RPC.simulated('AccountNotFound')] });
    await expect(facilitator.verify(payment)).rejects.toThrow(NO_SOL);
    expect(vi.getTimerCount()).toBe(1);
    await facilitator.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the verification by the gateway itself', () => {
  /** What comes of these simulations, at the node for verifying. */
  function verify(...simulations: Parameters<typeof verifying.play>[0][string][]) {
    verifying.play({ simulateTransaction: simulations.flat() });
    settling.play({});
    return open().facilitator.verify(payment);
  }

  it('is one simulation of the signed transaction, on connections of its own', async () => {
    expect(await verify([RPC.simulated(null)])).toEqual({ valid: true });
    expect(verifying.calls.map(({ params }) => params[0])).toEqual([signed]);
    expect(settling.calls).toEqual([]);
  });

  it.each([
    ['a young blockhash that the node knows a little later', RPC.simulated(null), { valid: true }],
    ['a blockhash that it never knows', YOUNG, { valid: false, reason: INVALID, processed: 'maybe' }],
  ])('simulates a second time for %s', async (_, second, verification) => {
    expect(await verify([YOUNG, second])).toEqual(verification);
    expect(verifying.calls).toHaveLength(2);
  });

  it.each([
    ['AlreadyProcessed', 'yes'],
    [{ InstructionError: [2, { Custom: 1 }] }, 'no'],
    [{ InsufficientFundsForRent: { account_index: 1 } }, 'no'],
  ])('refuses %j, simulates no second time, and leaves the network open', async (error, processed) => {
    verifying.play({ simulateTransaction: [RPC.simulated(error)] });
    const { facilitator } = open();
    expect(await facilitator.verify(payment)).toEqual({ valid: false, reason: INVALID, processed });
    expect([verifying.calls.length, facilitator.whyClosed(network)]).toEqual([1, undefined]);
  });

  it('refuses for now where there is no chain', async () => {
    verifying.play({});
    const refused = open().facilitator.verify(elsewhere);
    const details = { payment: { state: 'unused' }, reason: `no RPC for ${elsewhere.network}` };
    await expect(refused).rejects.toMatchObject({ code: 'facilitator_unavailable', details });
    expect(verifying.calls).toEqual([]);
  });

  it('refuses for now if both simulations take longer than one answer may', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const refused = expect(verify([YOUNG, RPC.simulated(null)])).rejects.toThrow('verify: too slow');
    await vi.waitFor(() => expect(verifying.calls).toHaveLength(1));
    vi.advanceTimersByTime(TIMES.chainMs);
    await refused;
  });
});

describe('the settlement by the gateway itself', () => {
  /** The outcome of a settlement, with what was recorded. */
  async function settle(script: Parameters<typeof settling.play>[0], each = payment) {
    const { facilitator, background } = open();
    settling.play(script);
    const settlement = await facilitator.settle(each);
    const failures = background.counts.get('facilitator');
    return { settlement, failures, closed: facilitator.whyClosed(network), methods: settling.methods() };
  }

  const SENT = { failures: 0, closed: undefined };
  const settled = { outcome: 'settled', signature };
  const unknown = { outcome: 'unknown', signature };

  it('sends the signed transaction once, and asks until it is confirmed', async () => {
    const getSignatureStatuses = [MISSING, { status: 500 }, PROCESSED, CONFIRMED];
    const asked = getSignatureStatuses.map(() => 'getSignatureStatuses');
    const result = await settle({ sendTransaction: [RPC.sent], getSignatureStatuses });
    expect(result).toEqual({ ...SENT, settlement: settled, methods: ['sendTransaction', ...asked] });
    const [sent, status] = settling.calls;
    expect([sent?.params[0], status?.params[0]]).toEqual([signed, [signature]]);
  });

  it('is refused if it has failed on the chain', async () => {
    const { settlement } = await settle({
      sendTransaction: [RPC.sent],
      getSignatureStatuses: [{ status: 500 }, FAILED],
    });
    expect(settlement).toEqual({ outcome: 'refused', reason: 'failed on the chain', isOnChain: true });
  });

  it('is unknown if it is not confirmed in time', async () => {
    const { now } = performance;
    // Half of the time passes with each status.
    const passed = () =>
      (settling.calls.filter(({ method }) => method === 'getSignatureStatuses').length * TIMES.confirmMs) / 2;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + passed());
    const result = await settle({ sendTransaction: [RPC.sent], getSignatureStatuses: [MISSING] });
    const methods = ['sendTransaction', 'getSignatureStatuses', 'getSignatureStatuses'];
    expect(result).toEqual({ ...SENT, settlement: unknown, methods });
  });

  it('is unknown, without a second sending, if the answer proves nothing', async () => {
    const result = await settle({ sendTransaction: [{ status: 502 }] });
    expect(result).toEqual({ ...SENT, failures: 1, settlement: unknown, methods: ['sendTransaction'] });
  });

  it('is unsent if no node got it', async () => {
    const settlement = { outcome: 'unsent', reason: 'rpc sendTransaction: status 403' };
    const result = await settle({ sendTransaction: [{ status: 403 }] });
    expect(result).toEqual({ ...SENT, settlement, methods: ['sendTransaction'] });
  });

  it('is unsent where there is no chain', async () => {
    const settlement = { outcome: 'unsent', reason: `no RPC for ${elsewhere.network}` };
    expect(await settle({}, elsewhere)).toEqual({ ...SENT, settlement, methods: [] });
  });

  it.each(CANNOT_PAY)('is unsent, and closes the network, if the fee payer cannot pay: %j', async (error) => {
    const settlement = { outcome: 'unsent', reason: NO_SOL };
    const result = await settle({ sendTransaction: [RPC.unsimulated(error)] });
    expect(result).toEqual({ failures: 0, closed: NO_SOL, settlement, methods: ['sendTransaction'] });
  });

  it('is refused if the money has moved since the verification', async () => {
    const result = await settle({ sendTransaction: [RPC.unsimulated({ InstructionError: [2, { Custom: 1 }] })] });
    const settlement = { outcome: 'refused', reason: INVALID };
    expect(result).toEqual({ ...SENT, settlement, methods: ['sendTransaction'] });
  });

  it.each([
    ['AlreadyProcessed', 'shows', CONFIRMED, settled],
    ['AlreadyProcessed', 'does not show', MISSING, unknown],
    ['AlreadyProcessed', 'does not tell', { status: 500 }, unknown],
    ['BlockhashNotFound', 'shows', CONFIRMED, settled],
    ['BlockhashNotFound', 'shows as failed', FAILED, unknown],
  ])('P6 may have been sent before, which the chain proves: %s, which it %s', async (error, _, status, settlement) => {
    const result = await settle({ sendTransaction: [RPC.unsimulated(error)], getSignatureStatuses: [status] });
    expect(result).toEqual({ ...SENT, settlement, methods: ['sendTransaction', 'getSignatureStatuses'] });
  });
});

describe('a transaction that is sent again', () => {
  it('is the same one, without a simulation', async () => {
    settling.play({ sendTransaction: [RPC.sent] });
    await open().facilitator.resend(payment);
    const settings = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
    expect(settling.calls.map(({ params }) => params)).toEqual([[signed, settings]]);
  });

  it('is sent nowhere without a chain', async () => {
    settling.play({});
    await open().facilitator.resend(elsewhere);
    expect(settling.calls).toEqual([]);
  });
});

const NEW_PAYERS = BUDGET * LIMITS.newPayersFraction;
const own = standIn<Facilitator>({ feeBudgetPerHour: BUDGET, feePayer: () => 'address' });
const remote = standIn<Facilitator>({ feePayer: () => 'address' });
const unknownPayer = standIn<Facilitator>({ feeBudgetPerHour: BUDGET, feePayer: () => undefined });

describe('the fee budget', () => {
  const charge = (lamports: number, isNewPayer = false) => ({ feePayer: '', lamports, limit: BUDGET, isNewPayer });

  it('suffices up to its limit', () => {
    expect(fitsBudget(charge(400), { all: BUDGET - 400, ofNewPayers: BUDGET })).toBe(true);
    expect(fitsBudget(charge(401), { all: BUDGET - 400, ofNewPayers: 0 })).toBe(false);
  });

  it('suffices for new payers up to their share', () => {
    expect(fitsBudget(charge(50, true), { all: NEW_PAYERS, ofNewPayers: NEW_PAYERS - 50 })).toBe(true);
    expect(fitsBudget(charge(51, true), { all: NEW_PAYERS, ofNewPayers: NEW_PAYERS - 50 })).toBe(false);
    expect(fitsBudget(charge(1, true), { all: BUDGET, ofNewPayers: 0 })).toBe(false);
  });
});

describe('the charge of a settlement', () => {
  const charged = newPayment({ feeLamports: 40 });

  it.each([
    ['a new payer', LIMITS.knownPayerMicros - 1, true],
    ['a known payer', LIMITS.knownPayerMicros, false],
  ])('is that of %s, by network', (_, micros, isNewPayer) => {
    const charge = feeChargeOf(own, charged, [{ atMs: 5, micros }], 6);
    expect(charge).toEqual({ feePayer: `${NETWORKS.mainnet}:address`, lamports: 40, limit: BUDGET, isNewPayer });
    expect(hasOwnFeePayer(own)).toBe(true);
  });

  it('is zero if a remote facilitator pays', () => {
    expect(feeChargeOf(remote, charged, [], 6)).toBeUndefined();
    expect(hasOwnFeePayer(remote)).toBe(false);
  });

  it('is zero while no fee payer is known', () => {
    expect(feeChargeOf(unknownPayer, charged, [], 6)).toBeUndefined();
  });
});

describe('the balance of the fee payer', () => {
  const read = async (...answers: Parameters<typeof settling.play>[0][string]) => {
    const chain = new Chain(settling.url);
    onTestFinished(() => chain.close());
    settling.play({ getAccountInfo: answers });
    const background = new Background();
    const balances = await feePayerReader(own, new Map([[NETWORKS.devnet, chain]]), background)();
    return { balances, failures: background.counts.get('fee_payers') };
  };

  it.each([
    ['read by cluster', RPC.account(7), 7, 0],
    ['nothing without an account', NO_ACCOUNT, 0, 0],
    ['unknown if the chain does not answer', { status: 500 }, undefined, 1],
  ])('is %s', async (_, answer, lamports, failures) => {
    expect(await read(answer)).toEqual({ balances: [{ cluster: 'devnet', lamports }], failures });
    expect(settling.calls[0]?.params[0]).toBe('address');
  });
});
