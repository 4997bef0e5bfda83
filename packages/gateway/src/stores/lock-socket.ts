import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';

/** What became of asking a socket who listens on it; `gone` may be asked again, under the name that has followed. */
export type Asked = { readonly holder: string } | 'dead' | 'gone';

const HOLDER = /^(\d{1,10}) ([\w.-]{1,64})\n$/;
const MAX_ANSWER_CHARS = 100;
/** A holder that stands still does not answer. */
const ANSWER_TIMEOUT_MS = 1_000;
const UNKNOWN = 'another process';

const DEAD = ['ECONNREFUSED', 'ENOTSOCK'];
const GONE = ['ENOENT', 'ECONNRESET', 'EPIPE'];

/** Listens there and tells everyone who connects which process this is; nothing where something listens already. */
export function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(`${process.pid} ${hostname()}\n`, () => socket.destroy());
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => resolve(server));
    server.unref();
  });
}

/** Resolves when nobody can connect any more. */
export const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

function outcomeOf(code = ''): Asked {
  if (DEAD.includes(code)) return 'dead';
  return GONE.includes(code) ? 'gone' : { holder: `a process that cannot be asked (${code})` };
}

/** Asks who listens there. Whatever answers, or may not be asked, is alive. */
export function ask(address: string): Promise<Asked> {
  return new Promise((resolve) => {
    const socket = connect(address);
    let text = '';
    const end = (asked: Asked) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(asked);
    };
    const tell = () => {
      const [, pid, host] = HOLDER.exec(text) ?? [];
      end({ holder: pid === undefined ? UNKNOWN : `process ${pid} on ${host}` });
    };
    const timer = setTimeout(tell, ANSWER_TIMEOUT_MS);
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.length > MAX_ANSWER_CHARS) tell();
    });
    socket.once('end', tell);
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(outcomeOf(code)));
  });
}
