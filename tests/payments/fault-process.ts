import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@asset-gateway/gateway';
import { expect } from 'vitest';
import { expectBooksInOrder } from '../kit/books.ts';
import { moneyOf } from '../kit/databases.ts';
import { makeFolder } from '../kit/folder.ts';
import { type GatewayProcess, startGatewayProcess } from '../kit/process.ts';
import { LIST_PRICES, startChains } from '../kit/test-gateway.ts';
import { newPath, type Reply, ROOMY, readReply, untilDecided } from './fault-buyer.ts';

/** How long a process may take to end after its last answer. */
const FALL_MS = 2_000;

/** A sandbox in this process, and gateways in their own processes, one after the other, with the same money. */
export async function openGatewaySeries(variables: Environment = {}) {
  const solana = await startChains();
  const folder = makeFolder();
  const running: GatewayProcess[] = [];
  const isRunning = ({ child }: GatewayProcess) => child.exitCode === null && child.signalCode === null;
  async function open(): Promise<GatewayProcess> {
    const settings = { PORT: '0', DATA_DIR: folder, ...solana.variables, ...LIST_PRICES, ...ROOMY, ...variables };
    const gateway = await startGatewayProcess(settings);
    running.push(gateway);
    return gateway;
  }
  return {
    solana,
    /** DATA_DIR of the gateways. */
    folder,
    open,
    /** The gateway that runs, or a new one if the last has ended. */
    current: async () => running.find(isRunning) ?? open(),
    /** Has a gateway kill itself after this step. */
    async armKill({ child }: GatewayProcess, step: string) {
      const isHeard = child.stdout && once(child.stdout, 'data');
      child.stdin?.write(step);
      await isHeard;
    },
    /** Waits until the gateway has killed itself. */
    async untilKilled(gateway: GatewayProcess) {
      if (isRunning(gateway)) await once(gateway.child, 'exit');
    },
    /** The books of these gateways are in order, with one settlement for each transfer to the payee. */
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

export type GatewaySeries = Awaited<ReturnType<typeof openGatewaySeries>>;

type Headers = Readonly<Record<string, string>>;

/** Asks once; undefined if the gateway has ended meanwhile. */
export const askOnce = (url: string, headers: Headers, init: RequestInit = {}): Promise<Reply | undefined> =>
  fetch(url, { ...init, headers }).then(readReply, () => undefined);

/** Sends the same request until its outcome is known, or the time is over. */
export const askUntilDecided = (url: string, headers: Headers, limitMs?: number, init: RequestInit = {}) =>
  untilDecided(
    () => askOnce(url, headers, init),
    ({ status }) => [409, 429, 503].includes(status),
    limitMs,
  );

/** How a call is paid for: by which wallet, and by which headers. */
export interface Payer {
  readonly address: string;
  headers(url: string, path: string): Promise<Headers>;
}

/** One call at a gateway that has killed itself after a step of it. */
export interface Killed {
  readonly step: string;
  readonly payer: Payer;
  readonly path: string;
  readonly headers: Headers;
  readonly first: Reply | undefined;
}

/** Sends a call to a gateway that kills itself after this step. If the database was too late for a step, another call is sent. */
export async function killedAfter<Paying extends Payer>(
  step: string,
  series: GatewaySeries,
  open: () => Promise<Paying>,
): Promise<Killed & { readonly payer: Paying }> {
  for (;;) {
    const [payer, doomed, path] = [await open(), await series.current(), newPath()];
    const headers = await payer.headers(doomed.url, path);
    await series.armKill(doomed, step);
    const first = await askOnce(doomed.url + path, headers);
    const isKilled = await Promise.race([series.untilKilled(doomed).then(() => true), sleep(FALL_MS, false)]);
    if (isKilled) return { step, payer, path, headers, first };
    await series.armKill(doomed, 'none');
    await askUntilDecided(doomed.url + path, headers);
  }
}

/** How many upstream calls and transfers a killed call has led to. */
export const tracesOf = ({ solana }: GatewaySeries, { path, payer }: Killed) => ({
  calls: solana.provider.arrivals.filter(({ target }) => target.includes(path.split('/').at(-1) ?? '')).length,
  transfers: solana.mainnet.transfers.filter(({ from }) => from === payer.address).length,
});

/** The next gateway answers the same call twice, with the text of the first answer, if that arrived. Answers the last reply. */
export async function expectAnsweredOnce(series: GatewaySeries, killed: Killed, limitMs?: number): Promise<Reply> {
  const { step, path, headers, first } = killed;
  const { url } = await series.current();
  const second = await askUntilDecided(url + path, headers, limitMs);
  const third = await askUntilDecided(url + path, headers);
  expect([step, second.status, third.status, third.isReplayed]).toEqual([step, 200, 200, true]);
  const replies = first ? [first, second, third] : [second, third];
  expectServedOnce({ replies, transfers: tracesOf(series, killed).transfers });
  return third;
}

/** One transfer, one answer, and no challenge, which would make the client pay again. */
export function expectServedOnce({ replies, transfers }: { replies: readonly Reply[]; transfers: number }): void {
  expect(replies.map(({ status }) => status)).not.toContain(402);
  const served = replies.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThanOrEqual(2);
  expect(served.filter(({ isReplayed }) => !isReplayed).length).toBeLessThanOrEqual(1);
  expect(new Set(served.map(({ text }) => text)).size).toBe(1);
  expect(transfers).toBe(1);
}
