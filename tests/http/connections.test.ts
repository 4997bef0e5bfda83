import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { trustedProxies } from '../../packages/gateway/src/ip-address.ts';
import { until } from '../process/program.ts';
import { type BareServer, get, startBareServer } from './bare-server.ts';
import type { Client } from './wire.ts';

/** Eight connections, of which one address may hold two. */
const CAP = 8;
const SHARE = 2;

let bare: BareServer;
async function start(maxConnections = CAP, trusted: readonly string[] = []): Promise<void> {
  bare = await startBareServer({ maxConnections, trustedProxies: trustedProxies(trusted) });
}
afterEach(() => bare.stop());

const from = (address: string, bytes = ''): Promise<Client> => bare.open(bytes, address);

async function several(count: number, address: string, bytes = ''): Promise<Client[]> {
  const opened: Client[] = [];
  for (let each = 0; each < count; each++) opened.push(await from(address, bytes));
  return opened;
}

/** Sends a request that stays unanswered. */
async function busy(address: string, target: string): Promise<Client> {
  const client = await from(address, get(target));
  await until(() => bare.handled.includes(target) || client.isClosed());
  return client;
}

/** Which connections are closed, after a pause. */
async function closed(of: readonly Client[]): Promise<boolean[]> {
  await pause(150);
  return of.map((client) => client.isClosed());
}

const isServed = async (client: Client, target: string): Promise<boolean> => {
  client.socket.write(get(target));
  await until(() => bare.handled.includes(target) || client.isClosed());
  bare.answer(target);
  await until(() => client.received().includes(target) || client.isClosed());
  return client.answers().some(({ status }) => status === 200);
};

describe('V14 silent connections', () => {
  it('of one address hold at most a quarter of all connections: its oldest is closed for its newest', async () => {
    await start();
    const honest = await from('127.0.0.1');
    const silent = await several(5, '127.0.0.2');
    expect(await closed(silent)).toEqual([true, true, true, false, false]);
    expect(await isServed(honest, '/honest')).toBe(true);
    expect(await isServed(await from('127.0.0.1'), '/another')).toBe(true);
  });

  it('do not shut out a client of the same address', async () => {
    await start();
    const silent = await several(CAP, '127.0.0.1');
    expect(await isServed(await from('127.0.0.1'), '/honest')).toBe(true);
    expect((await closed(silent)).filter((isClosed) => !isClosed)).toHaveLength(SHARE - 1);
  });

  it('of several addresses leave room for a new client', async () => {
    await start();
    const silent: Client[] = [];
    for (const last of [2, 3, 4, 5]) silent.push(...(await several(SHARE, `127.0.0.${last}`)));
    expect(await closed(silent)).toEqual(silent.map(() => false));
    expect(await isServed(await from('127.0.0.1'), '/honest')).toBe(true);
    expect(await closed(silent)).toEqual(silent.map((_, index) => index === 0));
  });

  it('include those with half a head', async () => {
    await start();
    const silent = await several(5, '127.0.0.2', 'GET / HTTP/1.1\r\nHost: x\r\nX-Half: ');
    expect(await closed(silent)).toEqual([true, true, true, false, false]);
  });

  it('include answered ones: the one answered first is closed first', async () => {
    await start();
    const [one, other] = (await several(SHARE, '127.0.0.2')) as [Client, Client];
    expect(await isServed(other, '/first')).toBe(true);
    expect(await isServed(one, '/second')).toBe(true);
    await from('127.0.0.2');
    expect(await closed([one, other])).toEqual([false, true]);
  });
});

describe('V14 a busy connection', () => {
  it('is not closed for another: a further one of its address is refused until it is answered', async () => {
    await start();
    const working = [await busy('127.0.0.2', '/a'), await busy('127.0.0.2', '/b')];
    const refused = await several(3, '127.0.0.2');
    expect(await closed([...working, ...refused])).toEqual([false, false, true, true, true]);
    bare.answer('/a');
    await until(() => working[0]?.received().includes('/a') ?? false);
    const admitted = await from('127.0.0.2');
    expect(await closed([...working, admitted])).toEqual([true, false, false]);
    expect(await isServed(admitted, '/c')).toBe(true);
  });

  it('H4 V14 is not closed when every connection is busy: a new one is refused', async () => {
    await start();
    const working: Client[] = [];
    for (let each = 0; each < CAP; each++) working.push(await busy(`127.0.0.${2 + (each % 4)}`, `/${each}`));
    const refused = await from('127.0.0.1');
    expect(await closed([...working, refused])).toEqual([...working.map(() => false), true]);
    bare.answer('/3');
    await until(() => working[3]?.received().includes('/3') ?? false);
    expect(await isServed(await from('127.0.0.1'), '/late')).toBe(true);
  });

  it('includes one whose answer is being written, and one whose request is being read', async () => {
    await start(4);
    const reading = await from('127.0.0.2', get('/large'));
    reading.socket.pause();
    bare.answerAll('x'.repeat(30_000_000));
    await until(() => bare.handled.includes('/large'));
    const writing = await from('127.0.0.3', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
    await pause(150);
    const refused = [await from('127.0.0.2'), await from('127.0.0.3')];
    expect(await closed([reading, writing, ...refused])).toEqual([false, false, true, true]);
    reading.socket.resume();
    await until(() => reading.received().length > 30_000_000);
    expect(await closed([reading, await from('127.0.0.2')])).toEqual([true, false]);
  });
});

it('V14 a trusted proxy may hold all connections', async () => {
  await start(CAP, ['127.0.0.2/32']);
  const proxied = await several(CAP, '127.0.0.2');
  expect(await closed(proxied)).toEqual(proxied.map(() => false));
  expect(await isServed(await from('127.0.0.2'), '/proxied')).toBe(true);
  expect(await closed(proxied)).toEqual(proxied.map((_, index) => index === 0));
  expect(await isServed(await from('127.0.0.1'), '/direct')).toBe(true);
});

it('V14 every ended connection frees its place', async () => {
  await start();
  for (let round = 0; round < 20; round++) {
    const [silent, half] = [await from('127.0.0.2'), await from('127.0.0.3', 'GET /')];
    const [used, unanswered] = [await busy('127.0.0.4', `/used-${round}`), await busy('127.0.0.5', `/gone-${round}`)];
    silent.socket.destroy();
    half.socket.resetAndDestroy();
    unanswered.socket.resetAndDestroy();
    bare.answer(`/used-${round}`);
    await until(() => used.received() !== '');
    used.socket.end();
    await until(() => used.isClosed());
  }
  const last: Client[] = [];
  for (const address of [2, 3, 4, 5]) last.push(...(await several(SHARE, `127.0.0.${address}`)));
  expect(await closed(last)).toEqual(last.map(() => false));
});

it('V14 a crowd that connects while the server is busy is queued by the system, not dropped', async () => {
  await start(1_000);
  const crowd = `
    const { connect } = require('node:net');
    let connected = 0;
    for (let each = 0; each < 1_000; each++)
      connect(${bare.port}, '127.0.0.1').on('error', () => {}).once('connect', () => connected++);
    setTimeout(() => { process.stdout.write(String(connected)); process.exit(); }, 2_000);`;
  // Nothing else happens in this process meanwhile.
  const { stdout } = spawnSync(process.execPath, ['-e', crowd], { encoding: 'utf8' });
  expect(Number(stdout)).toBe(1_000);
});

/** Blocks the event loop. */
function beBusy(milliseconds: number): void {
  const untilMs = performance.now() + milliseconds;
  while (performance.now() < untilMs);
}

describe('H13 a drain while the process is busy', () => {
  const GRACE_MS = 50;

  it('answers a request that arrived on an open connection within the grace period', async () => {
    bare = await startBareServer({ graceMs: GRACE_MS });
    bare.answerAll();
    const client = await bare.open(get('/'));
    await until(() => client.received() !== '');
    const drained = bare.server.drain(5_000);
    await pause(GRACE_MS / 5);
    // What is due by the clock comes next after this, and what has come over connections only then.
    await new Promise<void>((resolve) => setImmediate(resolve));
    client.socket.write(get('/'));
    beBusy(2 * GRACE_MS);
    await until(client.isClosed);
    expect(client.answers().map(({ status }) => status)).toEqual([200, 200]);
    await drained;
  });

  it('accepts a connection made before it', async () => {
    bare = await startBareServer({ graceMs: GRACE_MS });
    bare.answerAll();
    const opening = bare.open(get('/'));
    // Until the system has connected it, which this process has not noticed yet.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const drained = bare.server.drain(5_000);
    const client = await opening;
    await until(client.isClosed);
    expect(client.answers().map(({ status }) => status)).toEqual([200]);
    await drained;
  });
});
