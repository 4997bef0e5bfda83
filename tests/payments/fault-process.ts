import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Environment } from '@asset-gateway/gateway';
import { expect } from 'vitest';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { moneyOf } from '../kit/databases.ts';
import { makeFolder } from '../kit/folder.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { CANARY_PROVIDER_KEY } from '../kit/selling-gateway.ts';
import { ask, askUntilDecided, newBuyer, newPath, type Reply, ROOMY } from './fault-buyer.ts';

const SCRIPT = 'tests/kit/gateway-process.mjs';

/** A sandbox in this process, and gateways in their own processes, one after the other, with the same money. */
export interface GatewaySeries {
  readonly solana: SolanaSandbox;
  /** DATA_DIR of the gateways. */
  readonly folder: string;
  /** Starts the next gateway. */
  open(): Promise<GatewayProcess>;
  /** The gateway that runs, or a new one if the last has ended. */
  current(): Promise<GatewayProcess>;
  /** Has a gateway kill itself after this step. */
  armKill(gateway: GatewayProcess, step: string): Promise<void>;
  /** Waits until the gateway has killed itself. */
  untilKilled(gateway: GatewayProcess): Promise<void>;
  /** The books of these gateways are in order, with one settlement for each transfer to the payee. */
  expectBooksInOrder(): Promise<void>;
  close(): Promise<void>;
}

export async function openGatewaySeries(variables: Environment = {}): Promise<GatewaySeries> {
  const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
  const folder = makeFolder();
  const running: GatewayProcess[] = [];
  const isRunning = ({ child }: GatewayProcess) => child.exitCode === null && child.signalCode === null;
  async function open(): Promise<GatewayProcess> {
    const settings = { PORT: '0', DATA_DIR: folder, ...solana.variables, ...ROOMY, ...variables };
    const gateway = await startProcess(SCRIPT, [], settings);
    running.push(gateway);
    return gateway;
  }
  return {
    solana,
    folder,
    open,
    current: async () => running.find(isRunning) ?? open(),
    async armKill({ child }, step) {
      const isHeard = child.stdout && once(child.stdout, 'data');
      child.stdin?.write(step);
      await isHeard;
    },
    async untilKilled(gateway) {
      if (isRunning(gateway)) await once(gateway.child, 'exit');
    },
    expectBooksInOrder: () =>
      expectBooksInOrder(
        moneyOf(variables, folder),
        solana.mainnet.transfers.filter(({ to }) => to === solana.payTo),
      ),
    async close() {
      await Promise.all(running.map((gateway) => gateway.end('SIGTERM')));
      await solana.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The outcome of one payment. */
export interface Story {
  readonly replies: readonly Reply[];
  /** Upstream calls before and after the kill. */
  readonly calls: readonly [before: number, after: number];
  readonly transfers: number;
}

/** A payment whose gateway has killed itself. */
export interface Killed {
  /** Sends the same payment to the next gateway, twice. That gateway keeps running. */
  resend(): Promise<Story>;
}

/** Sends one payment to a gateway that kills itself after a step. */
export async function killAfter(step: string, series: GatewaySeries): Promise<Killed> {
  const { mainnet, provider } = series.solana;
  const path = newPath();
  const buyer = await newBuyer(mainnet);
  const calls = provider.arrivals.length;
  const doomed = await series.current();
  await series.armKill(doomed, step);
  const payment = await buyer.pay(doomed.url + path);
  const first = await ask(doomed.url + path, payment).catch(() => undefined);
  await series.untilKilled(doomed);
  const before = provider.arrivals.length - calls;
  return {
    async resend() {
      const callsBefore = provider.arrivals.length;
      const next = await series.current();
      const second = await askUntilDecided(next.url + path, payment);
      const third = await askUntilDecided(next.url + path, payment);
      return {
        replies: [first, second, third].filter((reply) => reply !== undefined),
        calls: [before, provider.arrivals.length - callsBefore],
        transfers: mainnet.transfers.filter(({ from }) => from === buyer.address).length,
      };
    },
  };
}

/** The same, and the payment is sent again at once. */
export const killedAfter = async (step: string, series: GatewaySeries): Promise<Story> =>
  (await killAfter(step, series)).resend();

/** One transfer, one answer, and no challenge, which would make the client pay again. */
export function expectServedOnce({ replies, transfers }: Story): void {
  expect(replies.map(({ status }) => status)).not.toContain(402);
  const served = replies.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThanOrEqual(2);
  expect(served.filter(({ isReplayed }) => !isReplayed).length).toBeLessThanOrEqual(1);
  expect(new Set(served.map(({ text }) => text)).size).toBe(1);
  expect(transfers).toBe(1);
}
