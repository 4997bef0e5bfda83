import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { expectRefusal } from '../http/error-table.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { openClient, readAnswers, type WireAnswer, wireRequest, writeAndRead } from '../http/wire.ts';
import { node, runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { startStrangeGateway } from '../kit/strange-gateway.ts';
import { startTestGateway, startUpstream } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';
import { type Program, startProgram, until } from './program.ts';

const HEALTH = pathOf(rowOf('tokens.health'));
const REQUESTS = 5;

/** A gateway in a process of its own, and its upstream. */
interface Place {
  readonly upstream: TokensApi;
  readonly program: Program;
  readonly url: string;
  readonly metricsUrl: string;
}

async function open(more: NodeJS.ProcessEnv = {}, through?: string): Promise<Place> {
  const upstream = await startUpstream();
  const variables = {
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: makeFolder(),
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: upstream.key,
    ...more,
  };
  const program = startProgram(variables, through === undefined ? {} : { through });
  const url = await program.url;
  return { upstream, program, url, metricsUrl: /"metrics":"(http[^"]+)"/.exec(program.stdout())?.[1] ?? '' };
}

const portOf = ({ url }: Place): number => Number(new URL(url).port);
const headers = ({ url }: Place, count: number) =>
  Promise.all(Array.from({ length: count }, () => signedHeader(url + HEALTH)));
const ask = ({ url }: Place, header: string) => fetch(url + HEALTH, { headers: { 'SIGN-IN-WITH-X': header } });

async function isRefused({ url }: Place): Promise<boolean> {
  const code = await fetch(`${url}/healthz`).then(
    () => undefined,
    (failure: { readonly cause?: NodeJS.ErrnoException }) => failure.cause?.code,
  );
  return code === 'ECONNREFUSED';
}

/** Starts slow requests, and waits until the upstream has them all. */
async function inFlight(place: Place, delayMs: number): Promise<Promise<Response>[]> {
  place.upstream.faults.delayMs = delayMs;
  const asked = (await headers(place, REQUESTS)).map((header) => ask(place, header));
  await until(() => place.upstream.arrivals.length === REQUESTS);
  return asked;
}

/** A pipeline of this many requests. */
async function pipelineOf(place: Place, count: number): Promise<() => Promise<WireAnswer[]>> {
  const lines = (await headers(place, count)).map((own) => [
    `Host: 127.0.0.1:${portOf(place)}`,
    `SIGN-IN-WITH-X: ${own}`,
  ]);
  const bytes = lines.map((own) => wireRequest('GET', HEALTH, own).bytes).join('');
  const methods = Array<string>(count).fill('GET');
  return async () => readAnswers(await writeAndRead(portOf(place), bytes, 10_000), methods);
}

describe.concurrent('H13 a signal', () => {
  it('lets requests in flight finish, pipelined ones too, takes no new ones, and exits with 0', async () => {
    const place = await open();
    const send = await pipelineOf(place, 3);
    const asked = await inFlight(place, 2_000);
    const pipelined = send();
    await until(() => place.upstream.arrivals.length === REQUESTS + 3);
    place.program.child.kill('SIGTERM');
    while (!(await isRefused(place))) await pause(20);
    const pending = Symbol('pending');
    expect(await Promise.race([...asked, pause(0, pending)])).toBe(pending);
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect(answers.map((answer) => answer.headers.get('connection'))).toEqual(asked.map(() => 'close'));
    expect((await pipelined).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await place.program.ended).toBe(0);
    expect(place.upstream.arrivals).toHaveLength(REQUESTS + 3);
    expect(place.program.stderr()).toBe('');
  });

  it('sent again after half a second: exits at once', async () => {
    const place = await open();
    const asked = await inFlight(place, 60_000);
    const failed = Promise.allSettled(asked);
    place.program.child.kill('SIGTERM');
    await pause(700);
    place.program.child.kill('SIGTERM');
    expect(await Promise.race([place.program.ended, pause(5_000, 'still there')])).toBe(1);
    expect((await failed).map(({ status }) => status)).toEqual(asked.map(() => 'rejected'));
  });

  it('repeated within half a second counts once', async () => {
    const place = await open();
    const asked = await inFlight(place, 1_500);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) {
      place.program.child.kill(signal);
      await pause(50);
    }
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect(await place.program.ended).toBe(0);
  });
});

describe('H15 out of file descriptors', () => {
  it('it survives, and serves again when they are free', async () => {
    const place = await open({}, 'ulimit -n 256');
    const sockets = Array.from({ length: 600 }, () => connect(portOf(place), '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => undefined);
    await pause(500);
    expect(place.program.child.exitCode).toBeNull();
    for (const socket of sockets) socket.destroy();
    let answer: Response | undefined;
    for (let round = 0; round < 50 && !answer?.ok; round++) {
      await pause(100);
      answer = await fetch(`${place.url}/healthz`).catch(() => undefined);
    }
    expect(answer?.status).toBe(200);
    place.program.child.kill('SIGTERM');
    expect(await place.program.ended).toBe(0);
  });
});

describe.concurrent('H13 a drain', () => {
  it('refuses a request that completes after it with 503 and Retry-After', async () => {
    const gateway = await startTestGateway({}, { graceMs: 1_000 });
    gateway.upstream.faults.delayMs = 2_500;
    const slow = askSigned(gateway.url + HEALTH);
    await until(() => gateway.upstream.arrivals.length === 1);
    const lines = [`Host: 127.0.0.1:${gateway.port}`, 'Content-Length: 2'];
    const client = openClient(gateway.port);
    client.socket.write(wireRequest('POST', HEALTH, lines, '{').bytes);
    await pause(100);
    const stopping = gateway.stop();
    await pause(1_500);
    client.socket.write('}');
    await until(client.isClosed);
    const [answer] = client.answers();
    expectRefusal(answer, '503 shutting_down');
    expect(answer?.headers['retry-after']).toBe('1');
    expect(answer?.headers.connection).toBe('close');
    expect((await slow).status).toBe(200);
    expect(gateway.upstream.arrivals).toHaveLength(1);
    await stopping;
  });
});

/** Makes the process write to standard error repeatedly. */
const COMPLAINING = '--import=data:text/javascript,setInterval(()=>process.stderr.write(String(1)),20).unref()';

/** Sends five requests; returns their statuses. */
async function statusesOf({ url }: Place): Promise<number[]> {
  const statuses: number[] = [];
  for (let round = 0; round < 5; round++) {
    statuses.push((await fetch(`${url}/healthz`)).status);
    await pause(30);
  }
  return statuses;
}

const lost = async (place: { readonly metricsUrl?: string }) => (await scrape(place)).sum('asset_gateway_log_lost');

describe.concurrent('V15 when the reader of the log dies', () => {
  it('standard output: writing stops, a metric shows it, and the gateway serves and drains', async () => {
    const place = await open();
    expect(await lost(place)).toBe(0);
    place.program.child.stdout?.destroy();
    expect(await statusesOf(place)).toEqual([200, 200, 200, 200, 200]);
    expect(await lost(place)).toBe(1);
    // A client that pipelined and left does not delay the drain.
    const request = wireRequest('GET', '/healthz', ['Host: localhost']).bytes;
    await writeAndRead(portOf(place), `${request.repeat(50)}\0\r\n\r\n`, 500);
    place.program.child.kill('SIGINT');
    expect(await Promise.race([place.program.ended, pause(10_000, 'still there')])).toBe(0);
    expect(place.program.stderr()).toBe('');
  });

  it('standard error: the gateway serves and drains', async () => {
    const place = await open({ NODE_OPTIONS: COMPLAINING });
    place.program.child.stderr?.destroy();
    await pause(200);
    expect(await statusesOf(place)).toEqual([200, 200, 200, 200, 200]);
    expect(await lost(place)).toBe(0);
    place.program.child.kill('SIGTERM');
    expect(await place.program.ended).toBe(0);
  });
});

describe('V15 another log destination', () => {
  it('that throws gets no further line', async () => {
    let isRead = true;
    const lines: string[] = [];
    const write = (line: string) => {
      lines.push(line);
      if (!isRead) throw new Error('EPIPE');
    };
    const gateway = await startTestGateway({ METRICS_PORT: '0' }, { logTo: { write } });
    const ask = async () => (await fetch(`${gateway.url}/healthz`)).status;
    expect([await ask(), lines.length]).toEqual([200, 1]);
    isRead = false;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
    expect(lines).toHaveLength(2);
    expect(await lost(gateway.gateway)).toBe(1);
  });
});

const EMBEDDER = `
  await import('@asset-gateway/gateway');
  const headers = { 'content-type': 'application/json', 'content-length': '2' };
  const response = await fetch(process.argv[1], { method: 'POST', headers, body: '{}' });
  process.stdout.write(await response.text());
`;

it('a program that embeds the gateway keeps the fetch of Node', async () => {
  const { url, answer, stop } = await startStrangeGateway();
  answer((_, response) => response.end('heard'));
  expect((await runCommand(node('--input-type=module', '-e', EMBEDDER, url))).stdout).toBe('heard');
  await stop();
});
