import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { TestOptions } from 'vitest';
import { freePort } from '../http/ports.ts';
import { makeFolder } from './folder.ts';
import { suiteWith } from './optional.ts';

/** A redis-server on a free port, without persistence. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Sends one command over its own connection. */
  command(...words: string[]): Promise<unknown>;
  /** The same with a password. */
  commandAs(password: string, ...words: string[]): Promise<unknown>;
  /** SIGKILL: everything in it is lost. */
  kill(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
  /** It takes connections and bytes, and answers nothing. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

const SETTINGS = { bind: '127.0.0.1', save: '', appendonly: 'no', daemonize: 'no', loglevel: 'warning' };

const running = new Set<ChildProcess>();
// A test that fails before it has stopped its server leaves none behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A suite that needs a redis-server. */
export const redisSuite = (title: string, body: () => void, options: TestOptions = {}): void =>
  suiteWith('redis-server', title, body, options);

/** The model of all clients: a duplicate starts faster than a new client. */
const model = createClient();

/** Sends one command over its own connection. */
async function send(url: string, words: string[]): Promise<unknown> {
  const client = model.duplicate({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.sendCommand(words);
  } finally {
    client.destroy();
  }
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 2_500; attempt++) {
    const reply = await send(url, ['PING']).catch(() => undefined);
    if (reply === 'PONG') return;
    await pause(10);
  }
  throw new Error('redis-server does not start');
}

/** Starts one with these additional settings. */
export async function startRedis(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const [port, folder] = [Number(settings.port ?? (await freePort())), makeFolder()];
  const url = `redis://127.0.0.1:${port}`;
  const all = { ...SETTINGS, port: String(port), dir: folder, ...settings };
  let child: ChildProcess | undefined;
  const end = async () => {
    const ending = child;
    child = undefined;
    if (ending) running.delete(ending);
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill('SIGKILL');
    await once(ending, 'exit');
  };
  const server: RedisServer = {
    port,
    url,
    command: (...words) => send(url, words),
    commandAs: (password, ...words) => send(`redis://:${password}@127.0.0.1:${port}`, words),
    kill: end,
    async start() {
      const words = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
      child = spawn('redis-server', words, { stdio: 'ignore' });
      running.add(child);
      await untilReady(url);
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
