import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Offer } from '@asset-gateway/client/pay';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { associatedAddress } from '../../packages/sandbox/src/chain/token.ts';
import { memoryMib } from '../kit/usage.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** The transfer of a payment, by the gateway's reader. */
interface Moved {
  readonly amount: string;
  readonly mint: string;
  readonly destination: string;
  readonly memo: string;
}

/** The transfer of a payment header. */
function movedBy(header: string): Moved | undefined {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as { payload: { transaction: string } };
  const transaction = readTransaction(Buffer.from(payload.transaction, 'base64'));
  const transfers = transaction?.instructions.filter(({ program }) => program === TOKEN) ?? [];
  const [transfer] = transfers;
  const memo = transaction?.instructions.find(({ program }) => program === MEMO);
  if (!transaction || !transfer || transfers.length > 1) return undefined;
  const [, mint = '', destination = ''] = transfer.accounts.map((index) => transaction.keys[index]);
  const amount = new DataView(transfer.data.buffer, transfer.data.byteOffset).getBigUint64(1, true);
  return { amount: String(amount), mint, destination, memo: Buffer.from(memo?.data ?? []).toString() };
}

/** Whether a payment moves exactly what one of these offers showed. */
export async function isShown(header: string, shown: readonly Offer[]): Promise<boolean> {
  const moved = movedBy(header);
  if (!moved) return false;
  for (const { asset, payTo, amount, memo } of shown) {
    const destination = await associatedAddress(payTo, asset);
    const isSame = moved.amount === amount && moved.mint === asset && moved.destination === destination;
    if (isSame && (memo === undefined || moved.memo === memo)) return true;
  }
  return false;
}

/** A hostile gateway in a process of its own. */
export class HostileGateway {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<HostileGateway> {
    const child = fork('tests/hostile/gateway.mjs', { execArgv: [] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new HostileGateway(child, `http://127.0.0.1:${port}`);
  }

  /** Begins a seed; answers with the distinct payments that arrived in the one before. */
  async begin(seed: number): Promise<string[]> {
    this.#child.send({ next: seed });
    const [{ payments }] = (await once(this.#child, 'message')) as [{ payments: string[] }];
    return [...new Set(payments)];
  }

  async close(): Promise<void> {
    this.#child.kill();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}

const MAX_MIB = 200;

/** A process that calls a hostile gateway of its own. */
export interface Lane {
  readonly pid: number | null | undefined;
  /** Faults of one seed. */
  faultsOf(seed: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Faults of these seeds, and one if the process took much memory. */
async function faultsInLane(open: (gateway: HostileGateway) => Promise<Lane>, seeds: readonly number[]) {
  const gateway = await HostileGateway.start();
  const lane = await open(gateway);
  const faults: string[] = [];
  for (const seed of seeds) faults.push(...(await lane.faultsOf(seed)).map((fault) => `seed ${seed}: ${fault}`));
  const mib = Math.round(memoryMib(lane.pid ?? undefined, 'VmHWM'));
  if (mib > MAX_MIB) faults.push(`${mib} MiB of memory`);
  await lane.close();
  await gateway.close();
  return faults;
}

/** Runs the seeds in parallel lanes; returns all faults. */
export async function faultsInLanes(
  runs: number,
  lanes: number,
  open: (gateway: HostileGateway) => Promise<Lane>,
): Promise<string[]> {
  const seeds = Array.from({ length: runs }, (_, index) => index);
  const shares = Array.from({ length: lanes }, (_, lane) => seeds.filter((seed) => seed % lanes === lane));
  return (await Promise.all(shares.map((share) => faultsInLane(open, share)))).flat();
}
