import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';

/** A process that serves hosts in sequence, to save the start and the first payment of each. */
export interface WarmServer {
  /** A transport to a server with these words and variables. Close the previous one first. */
  open(words: readonly string[], env: NodeJS.ProcessEnv): Transport;
  close(): Promise<void>;
}

class WarmTransport implements Transport {
  readonly #child: ChildProcess;
  readonly #host: object;
  readonly #received = new ReadBuffer();
  #ended = (): void => undefined;
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;

  constructor(child: ChildProcess, host: object) {
    this.#child = child;
    this.#host = host;
  }

  async start(): Promise<void> {
    this.#child.on('message', this.#read);
    this.#child.send({ host: this.#host });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#child.send({ line: serializeMessage(message) });
  }

  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    this.#child.send({});
    await ended;
    this.#child.off('message', this.#read);
    this.onclose?.();
  }

  readonly #read = ({ written = '', code }: { written?: string; code?: number }): void => {
    if (code !== undefined) this.#ended();
    this.#received.append(Buffer.from(written));
    for (let message = this.#received.readMessage(); message; message = this.#received.readMessage()) {
      this.onmessage?.(message);
    }
  };
}

export function startWarmServer(): WarmServer {
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
  const child = fork('tests/mcp/warm.mjs', { execArgv: [], env: { PATH: process.env.PATH }, stdio: [...stdio] });
  const ended = once(child, 'exit');
  return {
    open: (words, env) => new WarmTransport(child, { words, env }),
    async close() {
      child.kill();
      await ended;
    },
  };
}
