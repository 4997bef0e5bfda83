import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { startStrangeGateway } from '../kit/strange-gateway.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { scrape } from '../operations/scrape.ts';
import { endPrograms, type Program, startProgram } from './program.ts';

/** Makes the process write to standard error repeatedly. */
const COMPLAINING = '--import=data:text/javascript,setInterval(()=>process.stderr.write(String(1)),20).unref()';

afterAll(() => endPrograms());

interface Place {
  readonly program: Program;
  readonly url: string;
  readonly metricsUrl: string;
}

async function start(variables: object = {}): Promise<Place> {
  const own = { PORT: '0', METRICS_PORT: '0', DATA_DIR: makeFolder(), TOKENS_API_KEY: 'a-key-of-no-upstream' };
  const program = startProgram({ ...own, ...variables });
  const url = await program.url;
  return { program, url, metricsUrl: /metrics on (http[^"]+)"/.exec(program.stdout())?.[1] ?? '' };
}

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
    const place = await start();
    expect(await lost(place)).toBe(0);
    place.program.child.stdout?.destroy();
    expect(await statusesOf(place)).toEqual([200, 200, 200, 200, 200]);
    expect(await lost(place)).toBe(1);
    place.program.child.kill('SIGTERM');
    expect(await place.program.ended).toBe(0);
    expect(place.program.stderr()).toBe('');
  });

  it('standard error: the gateway serves and drains', async () => {
    const place = await start({ NODE_OPTIONS: COMPLAINING });
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
    await gateway.stop();
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
  const embedder = promisify(execFile)(process.execPath, ['--input-type=module', '-e', EMBEDDER, url]);
  expect((await embedder).stdout).toBe('heard');
  await stop();
});
