import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Offer } from '@asset-gateway/client/pay';
import { describe, expect, it } from 'vitest';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { associatedAddress } from '../../packages/sandbox/src/chain/token.ts';
import { isFull } from '../kit/rounds.ts';
import { memoryMib } from '../kit/usage.ts';
import { startLyingGateway } from './gateway.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** The transfer of a payment header, by the gateway's reader. */
function movedBy(header: string) {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as { payload: { transaction: string } };
  const transaction = readTransaction(Buffer.from(payload.transaction, 'base64'));
  const transfers = transaction?.instructions.filter(({ program }) => program === TOKEN) ?? [];
  const [transfer] = transfers;
  const memo = transaction?.instructions.find(({ program }) => program === MEMO);
  if (!transaction || !transfer || transfers.length > 1) return undefined;
  const [, mint = '', destination = ''] = transfer.accounts;
  const amount = new DataView(transfer.data.buffer, transfer.data.byteOffset).getBigUint64(1, true);
  return { amount: String(amount), mint, destination, memo: Buffer.from(memo?.data ?? []).toString() };
}

/** Whether a payment moves exactly what one of these offers showed. */
async function isShown(header: string, shown: readonly Offer[]): Promise<boolean> {
  const moved = movedBy(header);
  if (!moved) return false;
  for (const { asset, payTo, amount, memo } of shown) {
    const destination = await associatedAddress(payTo, asset);
    const isSame = moved.amount === amount && moved.mint === asset && moved.destination === destination;
    if (isSame && (memo === undefined || moved.memo === memo)) return true;
  }
  return false;
}

const MAX_MIB = 200;

/** Runs in all, and processes that share them. */
const [RUNS, LANES] = isFull ? [3_000, 6] : [40, 1];

interface Report {
  readonly shown: readonly Offer[];
  readonly calls: readonly { readonly outcome: string; readonly lateMs: number }[];
  readonly strange: readonly string[];
}

/** Faults of one run. */
async function faultsOf(report: Report, payments: readonly string[]): Promise<string[]> {
  const { shown, calls, strange } = report;
  const faults = [...strange];
  for (const payment of payments) if (!(await isShown(payment, shown))) faults.push('a payment that was not shown');
  // Only after a call that was answered may another payment be made for the same request.
  const answered = calls.slice(0, -1).filter(({ outcome }) => isAnswered(outcome)).length;
  if (payments.length > 1 + answered) faults.push(`${payments.length} payments`);
  for (const { outcome, lateMs } of calls) {
    if (outcome.startsWith('not a')) faults.push(outcome);
    if (lateMs > 1_000) faults.push(`${Math.round(lateMs)} ms too late`);
  }
  return faults.map((fault) => `${fault} (${calls.map(({ outcome }) => outcome).join(', ')})`);
}

/** A success that cannot be read was an answer, too: the gateway has said that it was paid. */
const isAnswered = (outcome: string): boolean => outcome === 'ok' || outcome === 'not_a_gateway';

/** Faults of these seeds, and one if the client took much memory. */
async function faultsIn(seeds: readonly number[]): Promise<string[]> {
  const gateway = await startLyingGateway();
  const client = fork('tests/hostile/client.mjs', [gateway.url], { execArgv: [] });
  await once(client, 'message');
  const faults: string[] = [];
  for (const seed of seeds) {
    gateway.begin(seed);
    client.send({ seed });
    const [report] = (await once(client, 'message')) as [Report];
    const found = await faultsOf(report, [...gateway.payments()].map(String));
    faults.push(...found.map((fault) => `seed ${seed}: ${fault}`));
  }
  const mib = Math.round(memoryMib(client.pid, 'VmHWM'));
  if (mib > MAX_MIB) faults.push(`${mib} MiB of memory`);
  client.kill();
  await gateway.stop();
  return faults;
}

describe('a hostile gateway whose every answer is changed', () => {
  it(`W13 W14 W15 W25 W31 costs the client at most one shown payment and its time limit, in ${RUNS} runs`, {
    timeout: 1_200_000,
  }, async () => {
    const seeds = Array.from({ length: RUNS }, (_, index) => index);
    const lanes = Array.from({ length: LANES }, (_, lane) => seeds.filter((seed) => seed % LANES === lane));
    expect((await Promise.all(lanes.map(faultsIn))).flat()).toEqual([]);
  });
});
