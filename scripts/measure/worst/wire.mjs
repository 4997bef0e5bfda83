import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

const GIVE_UP_MS = 30_000;

/** One connection that sends one request after the other. */
export class Wire {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #port;

  constructor(port) {
    this.#port = port;
  }

  /** Returns status and body; status 0 if the connection closes without an answer. */
  ask({ method, target, lines = [], body }) {
    const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    const headers = [`Host: 127.0.0.1:${this.#port}`, ...length, ...lines].flatMap((line) => {
      const end = line.indexOf(':');
      return [line.slice(0, end), line.slice(end + 1).trim()];
    });
    const options = { agent: this.#agent, host: '127.0.0.1', port: this.#port, method, path: target, headers };
    return new Promise((resolve) => {
      const nothing = () => resolve({ status: 0, body: '' });
      const sent = request({ ...options, timeout: GIVE_UP_MS }, (response) =>
        text(response).then((answer) => resolve({ status: response.statusCode, body: answer }), nothing),
      );
      sent.on('timeout', () => sent.destroy()).on('error', nothing);
      sent.end(body);
    });
  }

  close() {
    this.#agent.destroy();
  }
}
