import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../process/program.ts';
import { type BareServer, get, startBareServer, still } from './bare-server.ts';
import type { Client } from './wire.ts';

const MAX_UNANSWERED = 16;
const MAX_WAITING = 16_384;
const KIB = 1024;
/** Upper bound of the buffers on both sides of a connection. */
const BUFFERED_BYTES = 16 * KIB * KIB;

let bare: BareServer;
beforeEach(async () => {
  bare = await startBareServer();
});
afterEach(() => bare.stop());

const sending = (bytes: string): Promise<Client> => bare.open(bytes);

const targets = (count: number, name = 'r'): string[] => Array.from({ length: count }, (_, at) => `/${name}-${at}`);
const pipelined = (all: readonly string[]): string => all.map(get).join('');
const handledCount = () => bare.handled.length;

describe('V20 requests in one pipeline', () => {
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
    expect(client.answers().map(({ body }) => body)).toEqual([
      ...all.slice(0, MAX_UNANSWERED + 4),
      ...all.slice(MAX_UNANSWERED + 4).map(() => 'done'),
    ]);
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
    const client = await sending(
      `${pipelined(all)}POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nz`,
    );
    await still(handledCount);
    bare.answerAll('done');
    await until(() => client.isClosed());
    expect(client.answers().map(({ body }) => body)).toEqual([
      ...all.slice(0, MAX_UNANSWERED),
      ...Array(4).fill('done'),
    ]);
    expect(bare.handled).toEqual(all);
  });
});

describe('V20 requests that wait on all connections', () => {
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
