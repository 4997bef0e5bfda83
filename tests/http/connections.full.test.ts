import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trustedProxies } from '../../packages/gateway/src/ip-address.ts';
import { until } from '../process/program.ts';
import { type BareServer, get, startBareServer, still } from './bare-server.ts';
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

/** The share of each of four addresses. */
async function ofSeveral(): Promise<Client[]> {
  const opened: Client[] = [];
  for (const last of [2, 3, 4, 5]) opened.push(...(await several(SHARE, `127.0.0.${last}`)));
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
    const silent = await ofSeveral();
    expect(await closed(silent)).toEqual(silent.map(() => false));
    expect(await isServed(await from('127.0.0.1'), '/honest')).toBe(true);
    expect(await closed(silent)).toEqual(silent.map((_, index) => index === 0));
  });

  it('include those with half a head', async () => {
    await start();
    const silent = await several(5, '127.0.0.2', 'GET / HTTP/1.1\r\nHost: x\r\nX-Half: ');
    expect(await closed(silent)).toEqual([true, true, true, false, false]);
  });

  it('include answered ones, and the connection answered first is closed first', async () => {
    await start();
    const [one, other] = (await several(SHARE, '127.0.0.2')) as [Client, Client];
    expect(await isServed(other, '/first')).toBe(true);
    expect(await isServed(one, '/second')).toBe(true);
    await from('127.0.0.2');
    expect(await closed([one, other])).toEqual([false, true]);
  });
});

describe('V14 a busy connection', () => {
  it('is not closed for another; its address gets no further connection until it is answered', async () => {
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

  it('includes one whose answer is being written', async () => {
    await start(4);
    const reading = await from('127.0.0.2', get('/large'));
    reading.socket.pause();
    bare.answerAll('x'.repeat(30_000_000));
    await until(() => bare.handled.includes('/large'));
    const refused = await from('127.0.0.2');
    expect(await closed([reading, refused])).toEqual([false, true]);
    reading.socket.resume();
    await until(() => reading.received().length > 30_000_000);
    expect(await closed([reading, await from('127.0.0.2')])).toEqual([true, false]);
  });
});

const upload = (body: string, target = '/'): string =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n${body}`;

describe('V14 slow bodies', () => {
  it('of several addresses leave room for a new client, and the one that began first is closed first', async () => {
    await start();
    const slow = await ofSeveral();
    for (const client of slow.toReversed()) {
      client.socket.write(upload('ha'));
      await pause(20);
    }
    expect(await isServed(await from('127.0.0.1'), '/honest')).toBe(true);
    expect(await closed(slow)).toEqual(slow.map((_, index) => index === slow.length - 1));
    expect(bare.handled).toEqual(['/honest']);
  });

  it('behind an answered request of the same connection leave room too', async () => {
    await start();
    const slow: Client[] = [];
    for (const target of targets(CAP))
      slow.push(await from(`127.0.0.${2 + (slow.length % 4)}`, get(target) + upload('ha')));
    await until(() => bare.handled.length === CAP);
    for (const target of targets(CAP)) bare.answer(target);
    await until(() => slow.every((client) => client.received() !== ''));
    expect(await isServed(await from('127.0.0.1'), '/honest')).toBe(true);
  });

  it('that have arrived keep their connection', async () => {
    await start();
    const [whole, half] = (await several(SHARE, '127.0.0.2')) as [Client, Client];
    whole.socket.write(upload('ha', '/whole'));
    await pause(20);
    half.socket.write(upload('ha'));
    whole.socket.write('lf');
    await until(() => bare.handled.includes('/whole'));
    await from('127.0.0.2');
    expect(await closed([whole, half])).toEqual([false, true]);
    bare.answer('/whole');
    await until(() => whole.received().includes('/whole'));
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
  const last = await ofSeveral();
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

const MAX_UNANSWERED = 16;
const MAX_WAITING = 16_384;
const KIB = 1024;
/** Upper bound of the buffers on both sides of a connection. */
const BUFFERED_BYTES = 16 * KIB * KIB;

const sending = (bytes: string): Promise<Client> => bare.open(bytes);

const targets = (count: number, name = 'r'): string[] => Array.from({ length: count }, (_, at) => `/${name}-${at}`);
const pipelined = (all: readonly string[]): string => all.map(get).join('');
const handledCount = () => bare.handled.length;

describe('V20 requests in one pipeline', () => {
  beforeEach(() => start(100));

  it('start at most sixteen at once, and a further one for each answer that is read', async () => {
    const all = targets(100);
    const client = await sending(pipelined(all));
    expect(await still(handledCount)).toBe(MAX_UNANSWERED);
    bare.answer('/r-3');
    expect(await still(handledCount)).toBe(MAX_UNANSWERED);
    for (const target of ['/r-0', '/r-1', '/r-2']) bare.answer(target);
    expect(await still(handledCount)).toBe(MAX_UNANSWERED + 4);
    bare.answerAll('done');
    await until(() => client.answers().length === all.length);
    expect(bare.handled).toEqual(all);
    const bodies = all.map((target, at) => (at < MAX_UNANSWERED + 4 ? target : 'done'));
    expect(client.answers().map(({ body }) => body)).toEqual(bodies);
  });

  it('do not start while the client does not read, and do not delay other connections', async () => {
    const body = 'x'.repeat(256 * KIB);
    bare.answerAll(body);
    const client = await sending('');
    client.socket.pause();
    client.socket.write(pipelined(targets(3_000)));
    const begun = await still(handledCount);
    expect(begun).toBeLessThan(MAX_UNANSWERED + BUFFERED_BYTES / body.length);
    const other = await sending(get('/other'));
    await until(() => other.answers()[0]?.body === body);
    client.socket.resume();
    await until(() => handledCount() > begun + 100);
  });

  it('are not read further while sixteen are unanswered', async () => {
    const client = await sending('');
    let sent = 0;
    // Fewer than may wait, and more bytes than the connection's buffers take. Each is sent when the one before it has gone.
    const send = () => {
      if (sent < 8_000) client.socket.write(get(`/${sent}`.padEnd(4 * KIB, 'x')), () => send());
      sent++;
    };
    send();
    const stuck = await still(() => sent);
    expect(stuck).toBeLessThan(8_000);
    expect(handledCount()).toBe(MAX_UNANSWERED);
    bare.answerAll();
    await until(() => sent > stuck);
  });

  it('are dropped when their connection closes, and do not delay a drain', async () => {
    const client = await sending(pipelined(targets(500)));
    await still(handledCount);
    client.socket.resetAndDestroy();
    await pause(200);
    bare.answerAll();
    expect(await still(handledCount)).toBe(MAX_UNANSWERED);
    const since = performance.now();
    await bare.server.drain(20_000);
    expect(performance.now() - since).toBeLessThan(10_000);
  });

  it('that arrived before a drain are all answered', async () => {
    const all = targets(40);
    const client = await sending(pipelined(all));
    await still(handledCount);
    const draining = bare.server.drain(20_000);
    await pause(100);
    expect(client.isClosed()).toBe(false);
    bare.answerAll('late');
    await draining;
    await until(() => client.isClosed());
    expect(client.answers().map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(client.answers().at(-1)?.headers.connection).toBe('close');
  });

  it('with an incomplete last one continue when its rest arrives', async () => {
    const all = targets(20);
    const post = 'POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nhalf';
    const client = await sending(pipelined(all) + post);
    expect(await still(handledCount)).toBe(MAX_UNANSWERED);
    bare.answerAll('done');
    await until(() => client.answers().length === all.length);
    client.socket.write(`half${get('/after')}`);
    await until(() => client.answers().length === all.length + 2);
    expect(new Set(bare.handled.slice(-2))).toEqual(new Set(['/post', '/after']));
  });

  it('followed by an unreadable one are answered before the connection closes', async () => {
    const all = targets(20);
    const unreadable = 'POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nz';
    const client = await sending(pipelined(all) + unreadable);
    await still(handledCount);
    bare.answerAll('done');
    await until(() => client.isClosed());
    const bodies = [...all.slice(0, MAX_UNANSWERED), ...Array(4).fill('done')];
    expect(client.answers().map(({ body }) => body)).toEqual(bodies);
    expect(bare.handled).toEqual(all);
  });
});

describe('V20 requests that wait on all connections', () => {
  beforeEach(() => start(100));

  const PER_PACKET = 1_000;
  const CONNECTIONS = Math.ceil(MAX_WAITING / PER_PACKET) + 4;

  it('are limited; a connection above the limit closes after its started answers', async () => {
    const opened: Client[] = [];
    for (let each = 0; each < CONNECTIONS; each++) {
      opened.push(await sending(pipelined(targets(PER_PACKET, `c${each}`))));
      await until(() => handledCount() === MAX_UNANSWERED * (each + 1));
    }
    const last = opened.at(-1);
    const first = opened[0];
    bare.answerAll();
    await until(() => last?.isClosed() ?? false);
    expect(last?.answers()).toHaveLength(MAX_UNANSWERED);
    await until(() => first?.answers().length === PER_PACKET);
    const roomy = await sending(pipelined(targets(PER_PACKET, 'again')));
    await until(() => roomy.answers().length === PER_PACKET);
  });

  it('do not starve new connections', async () => {
    bare.answerAll('done');
    for (const name of ['a', 'b', 'c']) await sending(pipelined(targets(2_000, name)));
    await until(() => handledCount() > 100);
    const opened = await Promise.all(targets(100, 'new').map((target) => sending(get(target))));
    await until(() => opened.every((client) => client.answers()[0]?.body === 'done'));
    const isNew = (target: string) => target.startsWith('/new-');
    const meanwhile = bare.handled.slice(bare.handled.findIndex(isNew), bare.handled.findLastIndex(isNew));
    expect(meanwhile.filter((target) => !isNew(target)).length).toBeLessThan(400);
  });

  it('free their place when their connections close', async () => {
    for (let each = 0; each < CONNECTIONS; each++) {
      const client = await sending(pipelined(targets(PER_PACKET, `c${each}`)));
      await until(() => handledCount() === MAX_UNANSWERED * (each + 1));
      client.socket.resetAndDestroy();
      // A connection that is not read notices its end at the first answer.
      for (let answered = 0; answered < MAX_UNANSWERED; answered++) bare.answer();
      await pause(20);
    }
    bare.answerAll();
    const roomy = await sending(pipelined(targets(PER_PACKET, 'again')));
    await until(() => roomy.answers().length === PER_PACKET);
  });
});
