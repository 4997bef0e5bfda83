import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { TestOptions } from 'vitest';
import { freePort } from '../http/ports.ts';
import { type Command, startCommand } from './command.ts';
import { makeFolder } from './folder.ts';
import { suiteWith } from './optional.ts';

const SETTINGS = { bind: '127.0.0.1', save: '', appendonly: 'no', daemonize: 'no', loglevel: 'warning' };

/** A suite that needs a redis-server. */
export const redisSuite = (title: string, body: () => void, options: TestOptions = {}): void =>
  suiteWith('redis-server', title, body, options);

/** The model of all clients, because a duplicate starts faster than a new client. */
const model = createClient();

/** Sends one command on a connection of its own. */
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

/** A redis-server on a free port, without persistence. */
export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/** Starts a server with these additional settings. */
export async function startRedis(settings: Readonly<Record<string, string>> = {}) {
  const port = Number(settings.port ?? (await freePort()));
  const url = `redis://127.0.0.1:${port}`;
  const all = { ...SETTINGS, port: String(port), dir: makeFolder(), ...settings };
  const words = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  let command: Command | undefined;
  let killed: Promise<unknown> | undefined;
  const start = async () => {
    // The killed server must have freed its port.
    await killed;
    command = startCommand(['redis-server', ...words]);
    await untilReady(url);
  };
  const kill = async () => {
    command?.child.kill('SIGKILL');
    killed = command?.ended;
    await killed;
  };
  await start();
  return {
    port,
    url,
    /** Sends one command on a connection of its own. */
    command: (...words: string[]) => send(url, words),
    /** The same with a password. */
    commandAs: (password: string, ...words: string[]) => send(`redis://:${password}@127.0.0.1:${port}`, words),
    /** Sends SIGKILL. The server's data is lost. */
    kill,
    /** Starts the server again on the same port. */
    start,
    /** The server then accepts connections and bytes but answers nothing. */
    freeze: () => void command?.child.kill('SIGSTOP'),
    thaw: () => void command?.child.kill('SIGCONT'),
    stop: kill,
  };
}
