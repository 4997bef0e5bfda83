import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';
const GIVE_UP_MS = 30_000;

/** A request as bytes: nothing is added to its lines but a Host. */
export function requestBytes({ method, target, lines = [], body }, port) {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [`${method} ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...length, ...lines].join('\r\n');
  return Buffer.concat([Buffer.from(head + HEAD_END, 'latin1'), Buffer.from(body ?? '')]);
}

/** One connection on which one request follows the other; opened again when the gateway has closed it. */
export class Wire {
  #port;
  #socket;
  #received = '';
  #wake = () => undefined;

  constructor(port) {
    this.#port = port;
  }

  /** Sends bytes, and answers with status and body of what comes back; with status 0 when that is nothing. */
  async ask(bytes, isHead = false) {
    const socket = await this.#opened();
    socket.write(bytes);
    for (;;) {
      const answer = this.#read(isHead);
      if (answer) return answer;
      if (socket.destroyed) return { status: 0, headers: {}, body: '' };
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close() {
    this.#socket?.destroy();
  }

  async #opened() {
    if (this.#socket && !this.#socket.destroyed && !this.#socket.readableEnded) return this.#socket;
    this.#received = '';
    const socket = connect(this.#port, '127.0.0.1');
    socket.setNoDelay(true).setTimeout(GIVE_UP_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      this.#wake();
    });
    socket.on('close', () => this.#wake());
    this.#socket = socket;
    await once(socket, 'connect');
    return socket;
  }

  #read(isHead) {
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const [first, ...lines] = this.#received.slice(0, end).split('\r\n');
    const status = Number(first.split(' ', 2)[1]);
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    const length = isHead || status === 204 || status === 304 ? 0 : Number(headers['content-length'] ?? 0);
    const whole = end + HEAD_END.length + length;
    if (this.#received.length < whole) return undefined;
    const body = this.#received.slice(end + HEAD_END.length, whole);
    this.#received = this.#received.slice(whole);
    if (headers.connection === 'close') this.#socket.destroy();
    return { status, headers, body };
  }
}
