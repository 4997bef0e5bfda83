import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, connectFrom, get } from '../http/bare-server.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteInCi } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { cpuSeconds } from '../kit/usage.ts';
import { compileGateway, endPrograms, type Program, startProgram, until } from './program.ts';

const MAX_CONNECTIONS = 2_000;
const SHARE = MAX_CONNECTIONS / 4;
/** Other requests meanwhile. */
const ROUNDS = isFull ? 20 : 6;
const PIPELINES = isFull ? 30 : 10;

const dataDir = makeFolder();
const clients: Client[] = [];
let program: Program;
let port: number;
beforeAll(async () => {
  await compileGateway();
  program = startProgram({ PORT: '0', DATA_DIR: dataDir, TOKENS_API_KEY: 'a-key-of-no-upstream' });
  port = Number(new URL(await program.url).port);
}, 120_000);
afterAll(async () => {
  for (const { socket } of clients) socket.destroy();
  await endPrograms();
  rmSync(dataDir, { recursive: true, force: true });
});

async function open(count: number, address: string): Promise<Client[]> {
  const opened: Client[] = [];
  while (opened.length < count) {
    const some = Array.from({ length: Math.min(100, count - opened.length) }, () => connectFrom(port, address));
    opened.push(...(await Promise.all(some)));
  }
  clients.push(...opened);
  return opened;
}

/** CPU time of the gateway, in milliseconds. */
const cpuMs = () => 1_000 * cpuSeconds(program.child.pid);

/** Requests on a new connection; returns the CPU time until the answer. */
async function asked(address: string): Promise<number> {
  const before = cpuMs();
  const [client] = (await open(1, address)) as [Client];
  client.socket.write(get('/healthz'));
  while (client.answers()[0]?.status !== 200) {
    if (client.isClosed()) throw new Error('closed without an answer');
    await pause(5);
  }
  client.socket.destroy();
  return cpuMs() - before;
}

const closedAmong = (all: readonly Client[]): number => all.filter((client) => client.isClosed()).length;

suiteInCi('a gateway in a process of its own', {}, () => {
  it('V14 serves new clients while silent connections fill the shares of one address and then four', async () => {
    const first = await open(MAX_CONNECTIONS, '127.0.0.2');
    await asked('127.0.0.1');
    await asked('127.0.0.2');
    await until(() => closedAmong(first) >= MAX_CONNECTIONS - SHARE);
    expect(closedAmong(first)).toBeLessThanOrEqual(MAX_CONNECTIONS - SHARE + 1);
    for (const last of [3, 4, 5]) await open(SHARE, `127.0.0.${last}`);
    for (let round = 0; round < ROUNDS; round++) await asked(round % 2 === 0 ? '127.0.0.1' : '127.0.0.3');
    expect(closedAmong(clients)).toBeLessThan(MAX_CONNECTIONS - SHARE + 100);
    for (const { socket } of clients) socket.destroy();
  });

  it('V20 answers while others pipeline thousands of requests and do not read', { timeout: 120_000 }, async () => {
    const pipelines = await open(PIPELINES, '127.0.0.2');
    for (const { socket } of pipelines) socket.pause().write(get('/healthz').repeat(15_000));
    const delays: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      delays.push(await asked('127.0.0.1'));
      await pause(50);
    }
    // To answer them all takes a minute of its CPU, whatever else the machine does.
    expect(Math.max(...delays)).toBeLessThan(5_000);
    expect(closedAmong(pipelines)).toBe(0);
  });
});
